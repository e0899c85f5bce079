/* Writes the masks of pointer authentication that the kernel tells a tracer: NT_ARM_PAC_MASK, for data and
 * for code, in hexadecimal. */
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAC_MASK = 0x406 };

int main(void)
{
	unsigned long masks[2];
	struct iovec into = {masks, sizeof masks};
	pid_t child = fork();

	if (child == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	long result = ptrace(PTRACE_GETREGSET, child, PAC_MASK, &into);
	kill(child, SIGKILL);
	if (result != 0 || into.iov_len != sizeof masks)
		return 1;
	printf("%lx %lx\n", masks[0], masks[1]);
}
