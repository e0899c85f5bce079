/*
 * Included before every file of the Linux libraries when they are built. glibc 2.32 and 2.34 moved
 * these functions into libc under new symbol versions; the old versions, of the same functions, let
 * what is built on a new system load on an old one.
 */
#if defined(__x86_64__)
#define MP_OLDEST "GLIBC_2.2.5"
#elif defined(__aarch64__)
#define MP_OLDEST "GLIBC_2.17"
#endif

__asm__(".symver dladdr, dladdr@" MP_OLDEST);
__asm__(".symver dlopen, dlopen@" MP_OLDEST);
__asm__(".symver pthread_attr_setstacksize, pthread_attr_setstacksize@" MP_OLDEST);
__asm__(".symver pthread_create, pthread_create@" MP_OLDEST);
__asm__(".symver pthread_detach, pthread_detach@" MP_OLDEST);
__asm__(".symver pthread_sigmask, pthread_sigmask@" MP_OLDEST);

#undef MP_OLDEST
