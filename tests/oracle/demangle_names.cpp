// Names of many kinds, for demangle_cxx_test.ts. Nothing here is run.

namespace outer {
namespace {
struct Hidden {
  void method(Hidden *) {}
};
} // namespace

struct Point {
  int x, y;
  Point(int x, int y);
  template <class T> explicit Point(const char *name, T &&value);
  Point(const Point &);
  virtual ~Point();
  Point &operator=(const Point &);
  Point operator+(const Point &) const;
  bool operator==(const Point &) const volatile;
  bool operator<(const Point &) const &;
  Point operator()(int, ...);
  int &operator[](unsigned long);
  Point *operator->();
  operator bool() const;
  template <class T> operator T *() const;
  void *operator new(unsigned long);
  void operator delete(void *);
  static Point origin;
};

Point::Point(int x, int y) : x(x), y(y) {}
template <class T> Point::Point(const char *, T &&) {}
template Point::Point(const char *, int &&);
template Point::Point(const char *, const Point &);
Point::Point(const Point &) {}
Point::~Point() {}
Point &Point::operator=(const Point &) { return *this; }
Point Point::operator+(const Point &) const { return *this; }
bool Point::operator==(const Point &) const volatile { return true; }
bool Point::operator<(const Point &) const & { return true; }
Point Point::operator()(int, ...) { return *this; }
int &Point::operator[](unsigned long) { return x; }
Point *Point::operator->() { return this; }
Point::operator bool() const { return true; }
template <class T> Point::operator T *() const { return nullptr; }
template Point::operator char *() const;
void *Point::operator new(unsigned long) { return nullptr; }
void Point::operator delete(void *) {}
Point Point::origin{0, 0};
Point operator-(const Point &a, Point &&) { return a; }
Point operator""_p(unsigned long long x) { return Point(x, 0); }

template <class K, class V, int N = 3> struct Map {
  V values[N];
  V *find(const K &key) { return values; }
  template <class F> V each(F f) { return f(values[0]); }
};
template struct Map<int, Point *>;
template struct Map<const char *, Map<int, Point *>, 7>;

template <bool B, unsigned U, unsigned long L, char C> struct Constants {
  void method() {}
};
template struct Constants<true, 4u, 5ul, 'c'>;

template <class... T> int count(T &&...) { return sizeof...(T); }
template int count<>();
template int count<int>(int &&);

struct Base1 { virtual void one(); long a; };
struct Base2 { virtual void two(); long b; };
struct Both : Base1, virtual Base2 { void one() override; void two() override; };
void Base1::one() {}
void Base2::two() {}
void Both::one() {}
void Both::two() {}

void pointers(int (*)(char, short), int (&)[4], const volatile long *const *, void (Point::*)(int) const,
              int Point::*, decltype(nullptr), __int128, float, double, long double, wchar_t, char16_t) {}
void function(void (&)(Point), bool, signed char, unsigned char, unsigned short, unsigned, long long) {}
extern "C" void plain() {}

int lambdas(int value) {
  static int counter = 0;
  auto first = [&](int by) { return value += by; };
  auto second = [first](Point *, int by) { return [first, by] { return first(by); }(); };
  Hidden hidden;
  hidden.method(&hidden);
  Map<int, int> map;
  return first(1) + second(nullptr, 2) + counter++ + map.each([](int v) { return v; });
}

struct Local {
  static auto make() {
    struct Inner {
      int value() { return 4; }
    };
    return Inner();
  }
};
int local() { return Local::make().value(); }

enum class Colour : char { red, green };
template <Colour C> void paint() {}
template void paint<Colour::green>();
template <template <class, class, int> class M> void apply(M<int, int, 3>) {}
template void apply(Map<int, int, 3>);
template <class T> auto sum(T a, T b) -> decltype(a + b) { return a + b; }
template int sum(int, int);
thread_local Point perThread{1, 2};
int useThread() { return perThread.x; }
} // namespace outer
