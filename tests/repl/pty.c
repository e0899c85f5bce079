/*
 * pty.c: runs a program on a pseudo-terminal of its own.
 *
 *     pty program [argument...]
 *
 * What comes in on stdin is typed; what the program shows goes to stdout. When the program ends, so
 * does this, with its exit code, or 128 and the number of the signal. When stdin ends first, the
 * terminal is hung up, as when its window is closed. The program's pid is the first line on stderr.
 *
 * The terminal has PTY_SIZE, as in 160x50, and gets PTY_RESIZE at SIGUSR1.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#ifdef __APPLE__
#include <util.h>
#else
#include <pty.h>
#endif

static int copy(int from, int to)
{
	char bytes[4096];
	ssize_t count = read(from, bytes, sizeof bytes);
	if (count <= 0)
		return 0;
	for (ssize_t done = 0; done < count;) {
		ssize_t written = write(to, bytes + done, (size_t)(count - done));
		if (written < 0 && errno != EINTR)
			return 0;
		done += written > 0 ? written : 0;
	}
	return 1;
}

static int terminal;
static struct winsize resized;

static void resize(int signal)
{
	(void)signal;
	ioctl(terminal, TIOCSWINSZ, &resized);
}

static struct winsize size_of(const char *name)
{
	struct winsize size = { .ws_row = 50, .ws_col = 160 };
	const char *text = getenv(name);
	if (text != NULL)
		sscanf(text, "%hux%hu", &size.ws_col, &size.ws_row);
	return size;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	struct winsize size = size_of("PTY_SIZE");
	resized = size_of("PTY_RESIZE");
	signal(SIGUSR1, resize);
	pid_t child = forkpty(&terminal, NULL, NULL, &size);
	if (child < 0)
		return 1;
	if (child == 0) {
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	fprintf(stderr, "%d\n", (int)child);
	fflush(stderr);
	struct pollfd ends[2] = {
		{ .fd = STDIN_FILENO, .events = POLLIN },
		{ .fd = terminal, .events = POLLIN },
	};
	for (;;) {
		if (poll(ends, 2, -1) < 0) {
			if (errno != EINTR)
				break;
			continue;
		}
		if (ends[1].revents && !copy(terminal, STDOUT_FILENO))
			break;
		if (ends[0].revents && !copy(STDIN_FILENO, terminal))
			break;
	}
	close(terminal);
	int status;
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return 1;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
