#define _GNU_SOURCE
/*
 * Messages between processes: as much of <mach/message.h> and of launchd's <servers/bootstrap.h> as
 * launching takes. A receive right that is registered with the bootstrap server is a listening
 * socket in the abstract namespace; each connection to it is one request: a packet that holds the
 * message, and back the reply. The loader's messages.c is the other end.
 */
#include <poll.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "exception.h"
#include "lock.h"
#include "sys.h"
#include "table.h"
#include "tracer.h"

/* What the sender's task port is called by the sender: it is this process's name for its own too. */
#define SENDERS_TASK mach_task_self_

/* Past the names of table.c; only bootstrap_register2() takes it. */
enum { BOOTSTRAP = 0x7fffff03, BOOTSTRAP_NAME_IN_USE = 1101, BOOTSTRAP_NO_MEMORY = 1105 };

enum { RCV_INVALID_NAME = 0x10004002, SEND_INVALID_RIGHT = 0x10000007 };

kern_return_t task_get_special_port(task_inspect_t task, int which, mach_port_t *port)
{
	*port = task == mach_task_self_ && which == TASK_BOOTSTRAP_PORT ? BOOTSTRAP : MACH_PORT_NULL;
	return *port ? KERN_SUCCESS : KERN_INVALID_ARGUMENT;
}

kern_return_t mach_port_allocate(ipc_space_t space, mach_port_right_t right, mach_port_name_t *name)
{
	if (space != mach_task_self_ || right != MACH_PORT_RIGHT_RECEIVE)
		return KERN_INVALID_ARGUMENT;
	mp_lock();
	*name = mp_port_new_message_port(PORT_RECEIVE, -1);
	mp_unlock();
	return *name ? KERN_SUCCESS : KERN_RESOURCE_SHORTAGE;
}

/* A send right beside the receive right is not counted: nothing here could be sent to it. */
kern_return_t mach_port_insert_right(ipc_space_t space, mach_port_name_t name, mach_port_t right,
	mach_msg_type_name_t type)
{
	mp_lock();
	bool made = space == mach_task_self_ && name == right && type == MACH_MSG_TYPE_MAKE_SEND &&
		mp_port_socket(name, PORT_RECEIVE);
	mp_unlock();
	return made ? KERN_SUCCESS : KERN_INVALID_ARGUMENT;
}

kern_return_t mach_port_mod_refs(
	ipc_space_t space, mach_port_name_t name, mach_port_right_t right, mach_port_delta_t delta)
{
	if (space != mach_task_self_)
		return KERN_INVALID_ARGUMENT;
	mp_lock();
	bool receive = mp_port_socket(name, PORT_RECEIVE);
	bool done = true;
	if (receive && right == MACH_PORT_RIGHT_RECEIVE && delta == -1) {
		mp_tracer_unwatch(name);
		mp_port_drop(name);
	} else if (receive)
		done = right == MACH_PORT_RIGHT_SEND;
	else if (right == MACH_PORT_RIGHT_SEND && delta == 1)
		done = mp_port_add(name);
	else
		done = right == MACH_PORT_RIGHT_SEND && delta == -1 && mp_port_drop(name);
	mp_unlock();
	return done ? KERN_SUCCESS : KERN_INVALID_NAME;
}

static socklen_t bootstrap_address(const char *name, struct sockaddr_un *address)
{
	static const char prefix[] = "\0machpause.bootstrap.";
	size_t length = strlen(name);

	memset(address, 0, sizeof *address);
	address->sun_family = AF_UNIX;
	if (length > sizeof address->sun_path - sizeof prefix)
		return 0;
	memcpy(address->sun_path, prefix, sizeof prefix - 1);
	memcpy(address->sun_path + sizeof prefix - 1, name, length);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + sizeof prefix - 1 + length);
}

kern_return_t bootstrap_register2(mach_port_t bootstrap, char *name, mach_port_t port, uint64_t flags)
{
	struct sockaddr_un address;
	socklen_t size = bootstrap_address(name, &address);

	if (bootstrap != BOOTSTRAP || flags || !size)
		return KERN_INVALID_ARGUMENT;
	int listener = (int)SYS3(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (listener < 0)
		return BOOTSTRAP_NO_MEMORY;
	long result = SYS3(SYS_bind, listener, &address, size);
	if (result == 0)
		result = SYS2(SYS_listen, listener, 16);
	mp_lock();
	int *socket = mp_port_socket(port, PORT_RECEIVE);
	bool taken = result == 0 && socket && *socket < 0;
	if (taken)
		*socket = listener;
	mp_unlock();
	if (taken)
		return KERN_SUCCESS;
	sys_close(listener);
	return result == -EADDRINUSE ? BOOTSTRAP_NAME_IN_USE : KERN_INVALID_ARGUMENT;
}

static bool readable(int socket, uint32_t milliseconds)
{
	struct pollfd one = {.fd = socket, .events = POLLIN};
	struct timespec time = {milliseconds / 1000, (long)(milliseconds % 1000) * 1000000};
	long found;

	/* The system call leaves in `time` what is left of it. */
	do {
		found = SYS5(SYS_ppoll, &one, 1, &time, 0, 0);
	} while (found == -EINTR);
	return found == 1;
}

/* Gives the receiver names of its own for the sender's ports. The reply is to the connection. */
static kern_return_t rename_ports(mach_msg_header_t *message, mach_port_t port, int connection)
{
	struct ucred sender;
	socklen_t size = sizeof sender;
	mach_port_name_t task_name = MACH_PORT_NULL;
	kern_return_t result = KERN_SUCCESS;
	struct {
		mach_msg_header_t header;
		mach_msg_body_t body;
		mach_msg_port_descriptor_t port;
	} *body = (void *)message;
	bool complex = message->msgh_bits & MACH_MSGH_BITS_COMPLEX;

	/* No other right is sent by what this is for. */
	if (complex && (message->msgh_size < sizeof *body || body->body.msgh_descriptor_count != 1 ||
			body->port.type != MACH_MSG_PORT_DESCRIPTOR || body->port.name != SENDERS_TASK))
		return KERN_INVALID_CAPABILITY;
	if (SYS5(SYS_getsockopt, connection, SOL_SOCKET, SO_PEERCRED, &sender, &size) < 0)
		return KERN_FAILURE;
	mp_lock();
	if (complex) {
		struct task *task = mp_task_open(sender.pid, &result);
		if (task) {
			result = mp_task_name(task, &task_name);
			mp_task_unuse(task);
		}
		body->port.name = task_name;
		body->port.disposition = MACH_MSG_TYPE_MOVE_SEND;
	}
	if (result == KERN_SUCCESS) {
		message->msgh_remote_port = mp_port_new_message_port(PORT_SEND_ONCE, connection);
		if (!message->msgh_remote_port)
			result = KERN_RESOURCE_SHORTAGE;
	}
	if (result != KERN_SUCCESS && task_name)
		mp_port_drop(task_name);
	mp_unlock();
	message->msgh_local_port = port;
	message->msgh_bits = (complex ? MACH_MSGH_BITS_COMPLEX : 0) |
		MACH_MSGH_BITS(MACH_MSG_TYPE_MOVE_SEND_ONCE, MACH_MSG_TYPE_MOVE_SEND);
	return result;
}

static mach_msg_return_t receive(
	mach_msg_header_t *message, mach_msg_size_t size, mach_port_name_t name, uint32_t timeout)
{
	/* A sender that has connected sends at once. */
	enum { SENDS_WITHIN = 1000 };

	mp_lock();
	const int *socket = mp_port_socket(name, PORT_RECEIVE);
	int listener = socket ? *socket : -1;
	mp_unlock();
	if (!socket)
		return RCV_INVALID_NAME;
	if (listener < 0 && mp_exception_receive(message, size, name))
		return MACH_MSG_SUCCESS;
	for (;;) {
		if (listener < 0 || !readable(listener, timeout))
			return MACH_RCV_TIMED_OUT;
		int connection = (int)SYS4(SYS_accept4, listener, 0, 0, SOCK_CLOEXEC);
		if (connection < 0)
			return MACH_RCV_TIMED_OUT;
		long got = readable(connection, SENDS_WITHIN) ? SYS3(SYS_read, connection, message, size) : 0;
		if (got >= (long)sizeof *message && message->msgh_size == (mach_msg_size_t)got &&
			rename_ports(message, name, connection) == KERN_SUCCESS)
			return MACH_MSG_SUCCESS;
		sys_close(connection);
	}
}

/* Only replies are sent here. */
static mach_msg_return_t reply(const mach_msg_header_t *message, mach_msg_size_t size)
{
	mach_port_t to = message->msgh_remote_port;

	mp_lock();
	const int *socket = mp_port_socket(to, PORT_SEND_ONCE);
	mach_msg_return_t result = SEND_INVALID_RIGHT;
	if (socket && *socket < 0) {
		mp_tracer_pass(to);
		mp_port_drop(to);
		result = MACH_MSG_SUCCESS;
	} else if (socket) {
		/* Where the receiver has died meanwhile the message is lost, as it is on Darwin. */
		SYS6(SYS_sendto, *socket, message, size, MSG_NOSIGNAL | MSG_DONTWAIT, 0, 0);
		mp_port_drop(to);
		result = MACH_MSG_SUCCESS;
	}
	mp_unlock();
	return result;
}

mach_msg_return_t mach_msg(mach_msg_header_t *message, mach_msg_option_t option,
	mach_msg_size_t send_size, mach_msg_size_t receive_size, mach_port_name_t receive_name,
	mach_msg_timeout_t timeout, mach_port_name_t notify)
{
	mach_msg_return_t result = MACH_MSG_SUCCESS;

	(void)notify;
	if (option & MACH_SEND_MSG)
		result = reply(message, send_size);
	if (result == MACH_MSG_SUCCESS && (option & MACH_RCV_MSG))
		result = receive(message, receive_size, receive_name,
			option & MACH_RCV_TIMEOUT ? timeout : INT32_MAX);
	return result;
}

void mach_msg_destroy(mach_msg_header_t *message)
{
	struct {
		mach_msg_header_t header;
		mach_msg_body_t body;
		mach_msg_port_descriptor_t port;
	} *body = (void *)message;

	mp_lock();
	mp_port_drop(message->msgh_remote_port);
	if (message->msgh_bits & MACH_MSGH_BITS_COMPLEX)
		mp_port_drop(body->port.name);
	mp_unlock();
}
