/*
 * The POSIX declarations that watchdog.c needs: the system's where there are headers, and otherwise,
 * in the Darwin cross build, the project's own with the same layout and values.
 */
#ifndef MACHPAUSE_DARWIN_POSIX_H
#define MACHPAUSE_DARWIN_POSIX_H

#include "mach.h"

#if !defined(__APPLE__) || defined(MP_APPLE_SDK)
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <termios.h>
#include <unistd.h>
#else

/* bsd/sys/signal.h */
#define SIGHUP 1
#define SIGINT 2
#define SIGKILL 9
#define SIGTERM 15
#define SIG_UNBLOCK 2
#define SIG_SETMASK 3
#define SA_ONSTACK 0x0001
#define SA_RESTART 0x0002
#define SA_RESETHAND 0x0004
#define SA_SIGINFO 0x0040
#define SIG_DFL ((void (*)(int))0)
#define SIG_IGN ((void (*)(int))1)
typedef uint32_t sigset_t;
typedef struct __siginfo siginfo_t;
struct sigaction {
	union {
		void (*__sa_handler)(int);
		void (*__sa_sigaction)(int, siginfo_t *, void *);
	} __sigaction_u;
	sigset_t sa_mask;
	int sa_flags;
};
#define sa_handler __sigaction_u.__sa_handler
#define sa_sigaction __sigaction_u.__sa_sigaction
_Static_assert(sizeof(struct sigaction) == 16, "struct sigaction");
extern int sigaction(int signal, const struct sigaction *action, struct sigaction *before);
extern int sigemptyset(sigset_t *set);
extern int sigfillset(sigset_t *set);
extern int sigaddset(sigset_t *set, int signal);
extern int kill(int pid, int signal);

/* <pthread.h> of libpthread */
typedef struct _opaque_pthread_t *pthread_t;
extern int pthread_create(
	pthread_t *thread, const void *attributes, void *(*start)(void *), void *argument);
extern int pthread_detach(pthread_t thread);
extern int pthread_sigmask(int how, const sigset_t *set, sigset_t *before);

/* bsd/sys/fcntl.h. The arguments after the dots go on the stack on arm64. */
#define F_SETFD 2
#define F_SETFL 4
#define FD_CLOEXEC 1
#define O_NONBLOCK 0x0004
extern int fcntl(int descriptor, int command, ...);

/* bsd/sys/poll.h */
#define POLLIN 0x0001
#define POLLOUT 0x0004
struct pollfd {
	int fd;
	short events;
	short revents;
};
extern int poll(struct pollfd *descriptors, unsigned int count, int milliseconds);

/* bsd/sys/termios.h */
#define BRKINT 0x00000002
#define ICRNL 0x00000100
#define IXON 0x00000200
#define ECHO 0x00000008
#define ISIG 0x00000080
#define ICANON 0x00000100
#define IEXTEN 0x00000400
#define TCSANOW 0
struct termios {
	unsigned long c_iflag;
	unsigned long c_oflag;
	unsigned long c_cflag;
	unsigned long c_lflag;
	unsigned char c_cc[20];
	unsigned long c_ispeed;
	unsigned long c_ospeed;
};
_Static_assert(sizeof(struct termios) == 72, "struct termios");
extern int tcgetattr(int descriptor, struct termios *modes);
extern int tcsetattr(int descriptor, int when, const struct termios *modes);
extern int tcgetpgrp(int descriptor);

/* bsd/sys/errno.h */
extern int *__error(void);
#define errno (*__error())

/* <unistd.h> */
extern int pipe(int descriptors[2]);
extern long read(int descriptor, void *buffer, size_t size);
extern long write(int descriptor, const void *buffer, size_t size);
extern int close(int descriptor);
extern int getpid(void);
extern int getpgrp(void);
#endif

#endif
