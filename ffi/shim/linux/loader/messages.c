/*
 * messages.c: Mach ports and messages for programs, as much as preload.c uses: look up a name, send a
 * request with the task port, wait for the reply. Messages go over sockets in the abstract namespace
 * to ../message.c in another process, which documents them.
 */
#include "loader.h"
#include "sys.h"

#include <linux/poll.h>
#include <linux/un.h>
#include <string.h>

enum {
	SUCCESS = 0, INVALID_ARGUMENT = 4, RESOURCE_SHORTAGE = 6, INVALID_NAME = 15, /* KERN_* */
	SEND_INVALID_DEST = 0x10000003, RCV_INVALID_NAME = 0x10004002, RCV_TIMED_OUT = 0x10004003,
	BOOTSTRAP_UNKNOWN_SERVICE = 1102,
	SEND = 1, RECEIVE = 2, WITH_TIMEOUT = 0x100, /* MACH_SEND_MSG, MACH_RCV_MSG, MACH_RCV_TIMEOUT */
	TASK_BOOTSTRAP_PORT = 4,
	NOTIFY_SEND_ONCE = 71, /* <mach/notify.h> */
};

struct message_header {
	uint32_t bits;
	uint32_t size;
	uint32_t remote_port;
	uint32_t local_port;
	uint32_t voucher_port;
	int32_t id;
};

/* Port names have the low bits set, as XNU's do. These two always exist. */
static uint32_t task_self = 1 << 8 | 3;
enum { BOOTSTRAP = 2 << 8 | 3, FIRST = 3, PORTS = 8 };

/* The socket of each port, plus one; 0 for none. A reply port gets its socket when it is sent. */
static int sockets[PORTS];
static bool used[PORTS];

static int index_of(uint32_t name)
{
	uint32_t index = name >> 8;
	return (name & 0xff) == 3 && index >= FIRST && index < PORTS && used[index] ? (int)index : -1;
}

static uint32_t new_name(int socket)
{
	for (uint32_t index = FIRST; index < PORTS; index++) {
		if (used[index])
			continue;
		used[index] = true;
		sockets[index] = socket + 1;
		return index << 8 | 3;
	}
	return 0;
}

static int release(uint32_t name)
{
	if (name == task_self || name == BOOTSTRAP)
		return SUCCESS;
	int index = index_of(name);
	if (index < 0)
		return INVALID_NAME;
	/* A reply port shares the socket of its service. */
	bool shared = false;
	for (int other = FIRST; other < PORTS; other++)
		shared |= other != index && used[other] && sockets[other] == sockets[index];
	if (sockets[index] && !shared)
		sys1(__NR_close, sockets[index] - 1);
	used[index] = false;
	return SUCCESS;
}

static int port_deallocate(uint32_t task, uint32_t name) { return task == task_self ? release(name) : INVALID_ARGUMENT; }

static int port_mod_refs(uint32_t task, uint32_t name, uint32_t right, int delta)
{
	(void)right;
	return task == task_self && delta == -1 ? release(name) : INVALID_ARGUMENT;
}

static uint32_t reply_port(void) { return new_name(-1); }

static int get_special_port(uint32_t task, int which, uint32_t *port)
{
	*port = task == task_self && which == TASK_BOOTSTRAP_PORT ? BOOTSTRAP : 0;
	return *port ? SUCCESS : INVALID_ARGUMENT;
}

static int look_up(uint32_t bootstrap, const char *name, uint32_t *port)
{
	static const char prefix[] = "\0machpause.bootstrap.";
	struct sockaddr_un address = { .sun_family = 1 /* AF_UNIX */ };
	size_t length = strlen(name);
	*port = 0;
	if (bootstrap != BOOTSTRAP || length > sizeof address.sun_path - sizeof prefix)
		return INVALID_ARGUMENT;
	memcpy(address.sun_path, prefix, sizeof prefix - 1);
	memcpy(address.sun_path + sizeof prefix - 1, name, length);
	long size = (long)(offsetof(struct sockaddr_un, sun_path) + sizeof prefix - 1 + length);
	long socket = sys3(__NR_socket, 1, 5 | 02000000, 0); /* SOCK_SEQPACKET, SOCK_CLOEXEC */
	if (sys_failed(socket))
		return RESOURCE_SHORTAGE;
	if (sys_failed(sys3(__NR_connect, socket, (long)&address, size)) || !(*port = new_name((int)socket))) {
		sys1(__NR_close, socket);
		return BOOTSTRAP_UNKNOWN_SERVICE;
	}
	return SUCCESS;
}

static int send(const struct message_header *message, uint32_t size)
{
	int to = index_of(message->remote_port), reply = index_of(message->local_port);
	if (to < 0 || !sockets[to])
		return SEND_INVALID_DEST;
	if (sys_failed(sys6(__NR_sendto, sockets[to] - 1, (long)message, (long)size, 0x4000 /* MSG_NOSIGNAL */, 0, 0)))
		return SEND_INVALID_DEST;
	if (reply >= 0)
		sockets[reply] = sockets[to];
	return SUCCESS;
}

static int receive(struct message_header *message, uint32_t size, uint32_t name, long milliseconds)
{
	int index = index_of(name);
	if (index < 0)
		return RCV_INVALID_NAME;
	if (!sockets[index])
		return RCV_TIMED_OUT;
	struct pollfd one = { .fd = sockets[index] - 1, .events = POLLIN };
	struct sys_timespec time = { milliseconds / 1000, milliseconds % 1000 * 1000000 };
	if (sys4(__NR_ppoll, (long)&one, 1, (long)(milliseconds < 0 ? NULL : &time), 0) != 1)
		return RCV_TIMED_OUT;
	long got = sys3(__NR_read, one.fd, (long)message, (long)size);
	/* The receiver is gone: XNU sends this notification to the reply port. */
	if (got < (long)sizeof *message)
		*message = (struct message_header) { .size = sizeof *message, .id = NOTIFY_SEND_ONCE };
	message->local_port = name;
	return SUCCESS;
}

static int message(struct message_header *message, int option, uint32_t send_size, uint32_t receive_size, uint32_t name, uint32_t timeout, uint32_t notify)
{
	int result = SUCCESS;
	(void)notify;
	if (option & SEND)
		result = send(message, send_size);
	if (result == SUCCESS && option & RECEIVE)
		result = receive(message, receive_size, name, option & WITH_TIMEOUT ? (long)timeout : -1);
	return result;
}

const struct libsystem_entry message_entries[] = {
	{ "bootstrap_look_up", look_up },
	{ "mach_msg", message },
	{ "mach_port_deallocate", port_deallocate },
	{ "mach_port_mod_refs", port_mod_refs },
	{ "mach_reply_port", reply_port },
	{ "mach_task_self_", &task_self },
	{ "task_get_special_port", get_special_port },
	{ NULL, NULL },
};
