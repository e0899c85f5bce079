/*
 * The stackshot calls of libsystem_kernel, and with -DOLD the system call before them, as a test
 * wants them: linked with shim.c and linux/, where there are none.
 *
 * What they answer is in the environment: FAKE_STACKSHOT_ERROR is a value of Darwin's <sys/errno.h>,
 * FAKE_STACKSHOT the path of a file with what a capture gives. What they were asked is written to
 * FAKE_STACKSHOT_LOG.
 */
#include "darwin/mach.h"

#include <stdio.h>
#include <stdlib.h>

static int error_wanted(void)
{
	const char *error = getenv("FAKE_STACKSHOT_ERROR");
	return error == NULL ? 0 : atoi(error);
}

static void note(const char *format, long long first, long long second)
{
	FILE *log = fopen(getenv("FAKE_STACKSHOT_LOG"), "a");
	fprintf(log, format, first, second);
	fclose(log);
}

/* All of the file, in memory that is the caller's. */
static void *contents(uint32_t *size)
{
	FILE *file = fopen(getenv("FAKE_STACKSHOT"), "rb");
	fseek(file, 0, SEEK_END);
	*size = (uint32_t)ftell(file);
	rewind(file);
	void *bytes = malloc(*size + 1);
	if (fread(bytes, 1, *size, file) != *size)
		abort();
	fclose(file);
	return bytes;
}

#ifdef OLD

int stack_snapshot(int pid, void *tracebuf, uint32_t tracebuf_size, uint32_t flags,
	uint32_t dispatch_offset, int *error)
{
	uint32_t size;
	note("pid %lld flags %llx\n", pid, flags);
	*error = error_wanted();
	if (dispatch_offset != 0)
		abort();
	if (*error != 0)
		return -1;
	void *bytes = contents(&size);
	if (size > tracebuf_size) {
		*error = DARWIN_ENOSPC;
		free(bytes);
		return -1;
	}
	memcpy(tracebuf, bytes, size);
	free(bytes);
	return (int)size;
}

#else

struct stackshot_config {
	int pid;
	uint64_t flags;
	uint64_t since;
	void *buffer;
	uint32_t size;
};

static int configs;

stackshot_config_t *stackshot_config_create(void)
{
	configs++;
	return calloc(1, sizeof(stackshot_config_t));
}

int stackshot_config_set_pid(stackshot_config_t *config, int pid)
{
	config->pid = pid;
	return 0;
}

int stackshot_config_set_flags(stackshot_config_t *config, uint64_t flags)
{
	config->flags = flags;
	return 0;
}

int stackshot_config_set_delta_timestamp(stackshot_config_t *config, uint64_t since)
{
	config->since = since;
	return 0;
}

int stackshot_capture_with_config(stackshot_config_t *config)
{
	note("pid %lld flags %llx", config->pid, (long long)config->flags);
	note(" since %lld configs %lld\n", (long long)config->since, configs);
	if (error_wanted() == 0)
		config->buffer = contents(&config->size);
	return error_wanted();
}

void *stackshot_config_get_stackshot_buffer(stackshot_config_t *config)
{
	return config->buffer;
}

uint32_t stackshot_config_get_stackshot_size(stackshot_config_t *config)
{
	return config->buffer == NULL ? UINT32_MAX : config->size;
}

int stackshot_config_dealloc(stackshot_config_t *config)
{
	configs--;
	free(config->buffer);
	free(config);
	return 0;
}

#endif
