// Variables of the types that C++ adds.
namespace {
struct Hidden { int value; };
}
volatile int sink;
extern "C" __attribute__((noinline)) void use(const volatile void *p) { sink = sink + *(const volatile char *)p; }

namespace geometry {
struct Point {
  int x, y;
  static int made;
  int sum() const;
  template <class T> T as(T scale) const;
};
int Point::made = 4;
inline namespace v2 { struct Versioned { short s; }; }
enum class Shape : unsigned char { circle, square = 7 };
enum Plain { plain_one = 1, plain_two };
using Alias = Point;
namespace inner { class Secret { int hidden = 9; public: long shown = 2; enum Mode { off, on }; Mode mode = on; }; }
}

struct Base { int base = 1; virtual int id() { return base; } virtual ~Base(); };
struct Left : virtual Base { int left = 2; int id() override { return left; } };
struct Right : virtual Base { int right = 3; };
struct Diamond : Left, Right { int bottom = 4; int id() override; };
struct Plain : geometry::Point { char c; };
struct Multiple : Plain, geometry::inner::Secret { double d; };
Base::~Base() {}
void operator delete(void *, __SIZE_TYPE__) noexcept {}
void operator delete(void *) noexcept {}

template <class T, int N> struct Array { T items[N]; T &at(int i); };
template <class... Ts> struct Pack { int size = sizeof...(Ts); };
template <class T> struct Box { T held; Box<T> *next; struct Inner { T deep; } inner; };

template <class T, int N> __attribute__((noinline)) T &Array<T, N>::at(int i) {
  T *found = &items[i];
  use(&found);
  return *found;
}
__attribute__((noinline)) int geometry::Point::sum() const { int total = x + y; use(&total); return total; }
template <class T> __attribute__((noinline)) T geometry::Point::as(T scale) const {
  T scaled = scale * x;
  use(&scaled);
  return scaled;
}
__attribute__((noinline)) int Diamond::id() { int local = left + right; use(&local); return local + base; }

__attribute__((noinline)) int references(int &ref, const geometry::Point &point, int &&moved, Base &base) {
  int &again = ref;
  const int &constant = point.x;
  auto &whole = point;
  use(&again); use(&constant); use(&whole); use(&moved); use(&base);
  return again + constant;
}
__attribute__((noinline)) int classes(geometry::Alias alias, Multiple *many, Hidden hidden) {
  geometry::Versioned versioned{3};
  geometry::inner::Secret secret;
  geometry::inner::Secret::Mode mode = geometry::inner::Secret::on;
  geometry::Shape shape = geometry::Shape::square;
  geometry::Plain plain = geometry::plain_two;
  Plain derived{{1, 2}, 'c'};
  use(&versioned); use(&secret); use(&mode); use(&shape); use(&plain); use(&derived); use(&alias); use(&many); use(&hidden);
  return alias.sum() + (int)alias.as(2L) + (int)alias.as(1.5);
}
__attribute__((noinline)) int templates(int n) {
  Array<int, 3> three{{1, 2, n}};
  Array<geometry::Point, 2> points{{{1, 2}, {3, n}}};
  Pack<int, char, geometry::Point> pack;
  Box<Box<int>> boxes{};
  Box<const char *>::Inner inner{"deep"};
  use(&three); use(&points); use(&pack); use(&boxes); use(&inner);
  return three.at(1) + points.at(0).x;
}
__attribute__((noinline)) int members(int geometry::Point::*field, int (geometry::Point::*method)() const, decltype(nullptr) null) {
  geometry::Point p{5, 6};
  int value = p.*field;
  int called = (p.*method)();
  bool flag = value > called;
  char16_t c16 = u'é';
  char32_t c32 = U'x';
  wchar_t wide = L'w';
  use(&p); use(&value); use(&called); use(&flag); use(&c16); use(&c32); use(&wide); use(&null);
  return value + called;
}
__attribute__((noinline)) int lambdas(int captured) {
  int other = 2;
  auto add = [captured, &other](int argument) { int sum = captured + other + argument; use(&sum); return sum; };
  auto generic = [=](auto value) { auto kept = value + captured; use(&kept); return kept; };
  struct Local { int a; int get() { int result = a * 2; use(&result); return result; } } local{captured};
  use(&add); use(&generic); use(&local);
  return add(1) + generic(2) + (int)generic(2.5) + local.get();
}
__attribute__((noinline)) int virtuals(Diamond *diamond, Left &left) {
  Diamond own;
  Base *base = &own;
  use(&own); use(&base);
  return diamond->id() + left.id() + base->id();
}
static int file_static = 11;
#ifndef __i386__ // the linker for it knows no such relocations
thread_local int per_thread = 3;
#endif
__attribute__((noinline)) int statics() {
  static int counter = 5;
  static constexpr int fixed = 6;
  static geometry::Point place{7, 8};
  counter += file_static + place.x;
  const int *address = &fixed;
  use(&address); use(&place);
  return counter + *address;
}
