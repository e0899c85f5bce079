/* Variables of all types of C, in blocks, in inlined calls, in registers and on the stack. */
typedef __SIZE_TYPE__ size_t;
typedef unsigned char byte;
typedef int number;
typedef number aliased;

enum color { RED, GREEN = 5, BLUE = -2 };
enum flags { NONE, READ = 1, WRITE = 2, EXECUTE = 4, ALL = 7 };
enum big { BIG = 0x123456789abcLL };

struct point { int x, y; };
struct bits { unsigned a : 3; int b : 5; unsigned long long c : 40; unsigned : 4; unsigned char d : 1; };
union word { int i; float f; unsigned char bytes[4]; };
struct nested {
  struct point at;
  struct { char tag; union { short s; long l; }; };
  union word words[2];
  struct nested *next;
  int (*compare)(const void *, const void *);
  enum color color;
};
struct opaque;
typedef struct { double re, im; } pair_t;
struct flexible { int count; char data[]; };
typedef float vec4 __attribute__((vector_size(16)));

volatile int sink;
int counter = 3;
static struct point origin = { 1, 2 };
const char *names[] = { "one", "two" };

__attribute__((noinline)) void use(const volatile void *p) { sink += *(const volatile char *)p; }

__attribute__((always_inline)) static inline int twice(int value) {
  int doubled = value * 2;
  return doubled + sink;
}

__attribute__((always_inline)) static inline int around(struct point *p, int unused) {
  int sum = twice(p->x);
  {
    int inner = sum ^ p->y;
    sum += twice(inner);
  }
  return sum;
}

__attribute__((noinline)) int scalars(signed char sc, unsigned char uc, short s, unsigned short us,
                                      int i, unsigned u, long l, unsigned long ul, long long ll,
                                      unsigned long long ull) {
  char c = (char)sc;
  _Bool flag = sc > 0;
  byte b = uc;
  aliased alias = i;
  enum color color = (enum color)(i & 7);
  enum flags flags = (enum flags)(u & 15);
  enum big big = BIG;
  const int constant = i + 1;
  volatile unsigned changing = u;
  use(&c); use(&flag); use(&b); use(&alias); use(&color); use(&flags); use(&big);
  use(&constant); use(&changing); use(&s); use(&us); use(&l); use(&ul); use(&ll); use(&ull);
  return c + flag + b + alias + constant + (int)changing;
}

__attribute__((noinline)) double floats(float f, double d) {
  long double ld = f * 2.5L;
  _Complex float cf = f + 2.0fi;
  _Complex double cd = d + 1.0i;
  float third = f / 3;
  double scaled = d * 1e10;
  use(&ld); use(&cf); use(&cd); use(&third); use(&scaled); use(&f); use(&d);
  return third + scaled;
}

__attribute__((noinline)) int pointers(const char *text, char *const fixed, void *raw, int **twice_,
                                       struct opaque *opaque, int (*call)(int, char *)) {
  const char *const *list = &text;
  int (*table[2])(int, char *) = { call, 0 };
  int (*to_array)[3] = (int (*)[3])raw;
  struct nested *none = 0;
  size_t size = (size_t)raw;
  char *restrict alone = fixed;
  const volatile int *both = &sink;
  use(&list); use(&table); use(&to_array); use(&none); use(&size); use(&alone); use(&both);
  use(&text); use(&fixed); use(&raw); use(&twice_); use(&opaque); use(&call);
  return text != 0;
}

__attribute__((noinline)) int records(struct point p, struct nested *n, union word w, pair_t pair) {
  struct point local = { p.x + 1, p.y };
  struct bits bits = { 1, -2, 0x1234567, 1 };
  struct nested copy = { { 1, 2 }, { 'x', { 7 } }, { { 1 }, { 2 } }, n, 0, GREEN };
  struct flexible *flexible = (struct flexible *)n;
  struct { int a; struct { int b; }; } unnamed = { 1, { 2 } };
  bits.b = p.x;
  use(&local); use(&bits); use(&copy); use(&flexible); use(&unnamed); use(&p); use(&w); use(&pair);
  return around(&local, 3) + copy.at.x + unnamed.b;
}

__attribute__((noinline)) int arrays(int count, int (*rows)[2]) {
  int list[5] = { 1, 2, 3, count, 5 };
  char text[8] = "hello";
  int matrix[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
  struct point points[2] = { { 1, 2 }, { 3, count } };
  const char *words[2] = { text, 0 };
  static int calls = 7;
  static const char *const label = "static";
  vec4 vector = { 1, 2, 3, (float)count };
  int total = 0;
  use(&list); use(text); use(matrix); use(points); use(words); use(&label); use(rows); use(&vector);
  for (int index = 0; index < 5; index++) {
    int element = list[index];
    total += element;
    use(&element);
    if (element > 2) {
      int total = element * 2; /* hides the outer one */
      use(&total);
      sink += total;
    }
  }
  calls += total;
  return total + calls;
}

__attribute__((noinline)) int variable_length(int count) {
  int sized[count & 3];
  sized[0] = count;
  use(sized);
  return sized[0];
}

__attribute__((noinline)) int optimized(int a, int b) {
  int sum = a + b;
  int product = a * b;
  int constant = 42;
  struct point split = { sum, product };
  const char *text = "constant";
  unsigned char small = (unsigned char)sum;
  if (split.x > 10) {
    int deep = split.y - split.x;
    sink = twice(deep);
    return deep + constant;
  }
  sink = text[small & 3];
  for (int i = 0; i < a; i++) sink += i * product;
  return twice(sum) + split.y;
}

__attribute__((noinline)) int caller(int argument) {
  int first = optimized(argument, 3);
  struct point p = { first, argument };
  int second = around(&p, first);
  return optimized(second, first) + counter + origin.x + (names[0] != 0);
}

struct wide { long long a, b; double c; };
__attribute__((noinline)) struct wide returns(struct wide in, long long scale) {
  struct wide out = { in.a * scale, in.b + scale, in.c };
  long long difference = out.a - out.b;
  use(&difference);
  return out;
}

#ifdef __BLOCKS__
void *_NSConcreteStackBlock[32];
void *_NSConcreteGlobalBlock[32];
void _Block_object_assign(void *to, const void *from, const int flags) { use(to); use(from); sink = flags; }
void _Block_object_dispose(const void *object, const int flags) { use(object); sink = flags; }
__attribute__((noinline)) int blocks(int captured) {
  __block int shared = captured;
  int copied = captured + 1;
  int (^block)(int) = ^(int argument) {
    int inside = argument + copied;
    shared += inside;
    use(&inside);
    return inside;
  };
  use(&block); use(&shared);
  return block(3) + shared;
}
#endif
