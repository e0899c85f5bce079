/* Threads that stay in places that a walk may find hard: in a catch clause, in a destructor that runs while
 * an exception passes, and in a signal handler. Each first writes where it is, as libgcc's unwinder sees
 * it: its name and the return addresses of its frames. */
#include <csignal>
#include <cstdio>
#include <execinfo.h>
#include <pthread.h>
#include <unistd.h>

#define FUNCTION __attribute__((noinline))

static pthread_mutex_t output = PTHREAD_MUTEX_INITIALIZER;
static volatile int sink;

FUNCTION static void stay(const char *name)
{
	void *frames[64];
	int count = backtrace(frames, 64);
	pthread_mutex_lock(&output);
	printf("%s", name);
	for (int i = 1; i < count; i++)
		printf(" %lx", reinterpret_cast<unsigned long>(frames[i]));
	printf("\n");
	fflush(stdout);
	pthread_mutex_unlock(&output);
	for (;;)
		pause();
}

struct Guard {
	const char *name;
	~Guard()
	{
		if (name)
			stay(name);
		sink = 1;
	}
};

FUNCTION static int throws(int value)
{
	if (value > 0)
		throw value;
	return sink = value;
}

FUNCTION static int guarded(const char *name, int value)
{
	Guard guard{name};
	return throws(value) + 1;
}

FUNCTION static int catches(const char *name, const char *inner)
{
	try {
		return guarded(inner, 3) + sink;
	} catch (int value) {
		stay(name);
		return sink = value;
	}
}

static void handle(int)
{
	stay("handler");
	sink = 2;
}

FUNCTION static int signalled()
{
	raise(SIGUSR1);
	return sink + 3;
}

static void *in_catch(void *)
{
	sink = catches("catch", nullptr);
	return nullptr;
}

static void *in_destructor(void *)
{
	sink = catches("never", "destructor");
	return nullptr;
}

static void *in_handler(void *)
{
	sink = signalled();
	return nullptr;
}

int main()
{
	alarm(1200);
	signal(SIGUSR1, handle);
	void *(*const functions[])(void *) = {in_catch, in_destructor, in_handler};
	for (auto function : functions) {
		pthread_t thread;
		pthread_create(&thread, nullptr, function, nullptr);
	}
	for (;;)
		pause();
}
