/* Callers' frames: values at functions' entries, in registers that calls keep, in inlined callers. */
typedef struct { int x, y; long sum; } point;
volatile long sink;
volatile int callers_ready;

__attribute__((noinline)) long leaf(int a, point *p, long c, double d)
{
	long scaled = c * 3 + a;
	sink = scaled;
	if (a > 7) {
		callers_ready = 1;
		/* No system code below: LLDB cannot walk the Linux loader. */
		for (;;) sink++;
	}
	return scaled + p->x + (long)d;
}

static inline __attribute__((always_inline)) long inner(int depth, point *p)
{
	long twice = depth * 2L;
	long result = leaf(depth, p, twice, 1.5);
	return result + twice;
}

__attribute__((noinline)) long middle(int depth, long seed, point *given)
{
	point own = { depth, (int)seed, seed };
	int kept = depth + 7;
	long first = inner(depth, &own);
	sink = kept;
	long second = leaf(kept, given, first, 2.5);
	return first + second + kept;
}

__attribute__((noinline)) long recurse(int n, point *p, const char *name)
{
	int mine = n * n;
	if (n == 0) return middle(n + 1, 42, p) + mine;
	long below = recurse(n - 1, p, name + 1);
	sink = below;
	return below + mine + p->y + *name;
}

int main(int argc, char **argv)
{
	point top = { 10, 20, 30 };
	const char *text = "callers";
	long total = recurse(argc + 3, &top, text);
	return (int)total + top.x;
}
