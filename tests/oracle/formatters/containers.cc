/* Containers of C++'s library, each with contents that their formatters must show. */
#include <array>
#include <atomic>
#include <deque>
#include <forward_list>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include <stdlib.h>
#include <unistd.h>

struct Point {
	int x;
	double y;
};

static int twice(int value) { return 2 * value; }

extern "C" volatile int ready = 0;

__attribute__((noinline)) static void stay()
{
	ready = 1;
	for (;;)
		usleep(100000);
}

__attribute__((noinline)) static void strings()
{
	std::string empty;
	std::string small = "hello";
	std::string longest_small = "22 characters of text.";
	std::string large = "a text that does not fit into the string itself";
	std::string controls("tab\t quote\" nul\0 end", 20);
	std::string utf8 = "gr\xc3\xbc\xc3\x9f \xe2\x82\xac";
	std::wstring wide = L"wide \u20ac";
	std::u16string utf16 = u"sixteen \u20ac";
	std::u32string utf32 = U"thirty-two \u20ac";
	std::string_view view = large;
	const std::string &reference = small;
	std::string *pointer = &large;
	const char *c_string = "plain";
	char array[8] = "abc";
	char full[3] = { 'x', 'y', 'z' };
	const char *none = nullptr;
	const char16_t *c_utf16 = u"units";
	const wchar_t *c_wide = L"broad";
	unsigned char bytes[4] = { 1, 2, 255, 0 };
	stay();
	(void)empty, (void)longest_small, (void)controls, (void)utf8, (void)wide, (void)utf16, (void)utf32;
	(void)view, (void)reference, (void)pointer, (void)c_string, (void)array, (void)full, (void)none;
	(void)c_utf16, (void)c_wide, (void)bytes;
}

__attribute__((noinline)) static void containers()
{
	std::vector<int> no_numbers;
	std::vector<int> numbers = { 1, 2, 3 };
	std::vector<std::string> words = { "one", "two", "a word that is longer than the others" };
	std::vector<bool> flags = { true, false, true, true, false, false, true, false, true, true };
	std::vector<std::vector<int>> nested = { { 1 }, { 2, 3 } };
	std::vector<Point> points = { { 1, 1.5 }, { 2, 2.5 } };
	std::array<short, 3> array = { 7, 8, 9 };
	std::pair<int, std::string> pair = { 1, "first" };
	std::tuple<int, char, std::string> tuple = { 5, 'c', "third" };
	std::list<int> list = { 4, 5, 6 };
	std::list<int> no_list;
	std::forward_list<int> forward = { 7, 8 };
	std::deque<int> deque = { 10, 11, 12 };
	deque.push_front(9);
	std::deque<Point> long_deque;
	for (int i = 0; i < 600; i++)
		long_deque.push_back({ i, i / 2.0 });
	std::map<int, std::string> map = { { 1, "one" }, { 2, "two" }, { 3, "three" } };
	std::map<std::string, int> ages = { { "ada", 36 }, { "grace", 85 } };
	std::multimap<char, int> multimap = { { 'a', 1 }, { 'a', 2 }, { 'b', 3 } };
	std::set<int> set = { 30, 10, 20 };
	std::unordered_map<int, int> table = { { 5, 50 } };
	std::unordered_set<std::string> unordered = { "only" };
	std::map<int, int> no_map;
	std::unordered_map<int, int> no_table;
	std::optional<int> some = 42;
	std::optional<std::string> no_text;
	std::optional<std::string> text = "there";
	std::variant<int, double, std::string> variant = 2.5;
	std::variant<int, double, std::string> worded = "in a variant";
	std::unique_ptr<int> unique = std::make_unique<int>(17);
	std::unique_ptr<Point> unique_point = std::make_unique<Point>(Point { 3, 4.5 });
	std::unique_ptr<int> no_unique;
	std::shared_ptr<int> shared = std::make_shared<int>(18);
	std::shared_ptr<int> shared_too = shared;
	std::weak_ptr<int> weak = shared;
	std::shared_ptr<std::string> shared_text = std::make_shared<std::string>("shared");
	std::atomic<int> atomic { 99 };
	std::function<int(int)> function = twice;
	std::function<int(int)> no_function;
	stay();
	(void)no_numbers, (void)numbers, (void)words, (void)flags, (void)nested, (void)points, (void)array;
	(void)shared_too, (void)atomic, (void)function, (void)no_function;
}

/* Makes what stays uninitialised in the frames of the functions above the same in every run. */
__attribute__((noinline)) static void scribble()
{
	volatile char stack[1 << 16];
	for (unsigned long i = 0; i < sizeof stack; i++)
		stack[i] = 'z';
}

int main(int argc, char **)
{
	scribble();
	if (argc > 1)
		strings();
	else
		containers();
	return 0;
}

/* What the headers leave to the library's binary. */

static void *allocate(unsigned long size)
{
	volatile char *at = (volatile char *)malloc(size);
	for (unsigned long i = 0; i < size; i++)
		at[i] = 'z';
	return (void *)at;
}

void *operator new(unsigned long size) { return allocate(size); }
void operator delete(void *at) noexcept { free(at); }
void operator delete(void *at, unsigned long) noexcept { free(at); }
void *operator new(unsigned long size, std::align_val_t) { return allocate(size); }
void operator delete(void *at, std::align_val_t) noexcept { free(at); }
void operator delete(void *at, unsigned long, std::align_val_t) noexcept { free(at); }
extern "C" void __cxa_pure_virtual() { abort(); }

#ifdef _LIBCPP_VERSION
template class std::basic_string<char>;
template class std::basic_string<wchar_t>;
_LIBCPP_BEGIN_NAMESPACE_STD
size_t __next_prime(size_t least)
{
	for (size_t prime = least < 2 ? 2 : least;; prime++) {
		size_t divisor = 2;
		while (divisor * divisor <= prime && prime % divisor)
			divisor++;
		if (divisor * divisor > prime)
			return prime;
	}
}
void __libcpp_verbose_abort(const char *, ...) { abort(); }
__shared_count::~__shared_count() {}
__shared_weak_count::~__shared_weak_count() {}
void __shared_weak_count::__release_weak() noexcept {}
const void *__shared_weak_count::__get_deleter(const type_info &) const noexcept { return nullptr; }
_LIBCPP_END_NAMESPACE_STD
#endif
/* The loader that runs this has no mathematical functions. */
extern "C" float ceilf(float value) noexcept
{
	float whole = (float)(long)value;
	return whole < value ? whole + 1 : whole;
}
