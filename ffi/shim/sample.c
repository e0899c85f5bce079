/*
 * mp_sample(): the schedule, which threads are stopped, and what of their stacks is new. How a thread is
 * stopped is in darwin/sampling.c and linux/sampling.c.
 */
#include "sampling.h"
#include "shim.h"

_Static_assert(sizeof(mp_sample_options) == 40, "mp_sample_options");
_Static_assert(sizeof(mp_sample_ring) == 128, "mp_sample_ring");
_Static_assert(sizeof(mp_sample_tick) == 40, "mp_sample_tick");
_Static_assert(sizeof(mp_sample_stack) == 80 + MP_STATE_WORDS * 4, "mp_sample_stack");

/* Nanoseconds. */
enum {
	LEAST_PERIOD = 100000,
	STOP_INTERVAL = 50000000, /* how often ring->stop is looked at */
	LIST_INTERVAL = 5000000,  /* threads are not listed more often */
	RELIST_INTERVAL = 1000000000, /* and at least so often */
	FILTER_INTERVAL = 100000000, /* or so, where some are left out: their end is not seen otherwise */
	REFRESH_INTERVAL = 20000000, /* for the name of one thread; that of the same one later and later */
	LEAST_WAIT = 100000,      /* for threads to stop, past which the schedule goes on */
	MOST_WAIT = 20000000,
	LEAST_CREDIT = 20000000,  /* that a thread can have: the CPU time of one that runs is told late */
};

enum {
	MOST_CREDIT = 8, /* in samples */
	TURNS = 64,      /* samples in which each thread is looked at once */
};

/* For so long a thread that has run is looked at for each sample, in nanoseconds. */
static const uint64_t WATCH_INTERVAL = 10000000000;
/* The longest time between two looks at a thread's name, in nanoseconds. */
static const uint64_t NAME_INTERVAL = 10000000000;
/* The same, of a thread that has run since. */
static const uint64_t RUN_NAME_INTERVAL = 2000000000;

enum {
	LEAST_ARENA = 8 << 20,
	LEAST_MIRROR = 16 << 10,
	MOST_GAP = 64, /* equal bytes between two changed ranges that are sent nevertheless */
};

/* A thread of the task. */
struct sampled {
	thread_act_t port;
	uint32_t seen;          /* the listing that had it last */
	uint64_t id;
	struct run run;         /* when it was last looked at */
	bool looked;            /* it was looked at */
	uint64_t ran;           /* when it was last found to have run since the look before; 0: not yet */
	uint64_t walked_time;   /* its CPU time when it was last sampled */
	int64_t credit;         /* CPU time that its samples do not stand for yet, in nanoseconds */
	uint64_t walked_turns;  /* its turns while it stood still for that; 0: not known */
	bool wanted;            /* it passes the filter */
	bool walked;            /* it was sampled */
	uint32_t pending;       /* samples since it was asked to stop; 0: it has stopped */
	uint64_t low, high;     /* its stack's region; 0: not known */
	uint8_t *mirror;        /* the last copy of the stack: the bytes [high - mirror_size, high) */
	uint64_t mirror_size;
	uint64_t from, to;      /* the addresses whose bytes in the mirror are those of the last record */
	uint64_t name;          /* a hash */
	uint64_t named, named_after; /* when its name was read last, and how long after the time before that */
	uint64_t named_time;    /* its CPU time then */
};

/* A copy of a thread that stands still, in scratch memory. */
struct copied {
	uint32_t index;         /* into the threads */
	kern_return_t result;
	uint64_t sp;
	uint64_t address;       /* of the first byte of the stack */
	uint64_t size;
	const uint8_t *bytes;
	uint64_t thread_handle, dispatch_qaddr;
	uint64_t turns;
	natural_t state[MP_STATE_WORDS];
};

struct sampling {
	task_t task;
	int pid;
	const struct flavor *flavor;
	const mp_sample_options *options;
	const uint64_t *ids;
	const char *names;
	mp_sample_ring *ring;
	uint8_t *data;          /* of the ring */
	uint64_t size;
	struct sampled *threads;
	uint32_t count;
	uint32_t listing;
	uint64_t listed;        /* when; 0: not yet */
	uint64_t thread_count;  /* of the task, for thread_count_changed() */
	bool ended;             /* a thread could not be read since the listing */
	uint32_t refreshed;     /* the thread whose name was read last */
	uint64_t refresh_time;  /* when */
	bool sums;              /* threads that seem to wait for long are looked at in turns */
	uint64_t rest;          /* CPU time of the task that is not known to be of a thread */
	uint32_t turn;          /* of the threads that seem to wait for long */
	struct copied *copies;
	thread_act_t *ports;    /* of the copies */
	uint32_t copy_count;
	uint32_t stacks;        /* records since the last tick */
	uint8_t *scratch;
	uint64_t scratch_size, scratch_used;
	uint8_t *mirrors;
	uint64_t mirrors_size, mirrors_used;
	uint64_t stopped;       /* ticks: the longest stop of this sample */
	struct hurry hurry;
};

/* The ring */

/* Room for a record, whose header is filled in; NULL if the reader is too far behind. */
static void *begin_record(struct sampling *s, uint32_t kind, uint64_t size)
{
	uint64_t tail = __atomic_load_n(&s->ring->tail, __ATOMIC_ACQUIRE);
	uint64_t head = s->ring->head;
	uint64_t at = head % s->size;
	uint64_t skip = size > s->size - at ? s->size - at : 0;

	if (tail > head || head + skip + size - tail > s->size) {
		s->ring->dropped++;
		return NULL;
	}
	if (skip) {
		mp_sample_record *record = (mp_sample_record *)(s->data + at);
		record->size = (uint32_t)skip;
		record->kind = MP_RECORD_SKIP;
		__atomic_store_n(&s->ring->head, head + skip, __ATOMIC_RELEASE);
		at = 0;
	}
	mp_sample_record *record = (mp_sample_record *)(s->data + at);
	record->kind = kind;
	return record;
}

static void end_record(struct sampling *s, void *begun, uint64_t size)
{
	((mp_sample_record *)begun)->size = (uint32_t)size;
	__atomic_store_n(&s->ring->head, s->ring->head + size, __ATOMIC_RELEASE);
}

/* Threads */

static uint64_t hash(const char *name, size_t size)
{
	uint64_t value = 14695981039346656037u; /* FNV-1a */
	for (size_t i = 0; i < size && name[i]; i++)
		value = (value ^ (uint8_t)name[i]) * 1099511628211u;
	return value;
}

static bool same_name(const char *name, const char *other, uint32_t size)
{
	uint32_t i = 0;
	while (i < size && name[i] == other[i] && name[i] != '\0')
		i++;
	return i < size && name[i] == other[i];
}

static bool is_filtered(const struct sampling *s)
{
	return s->options->id_count != 0 || s->options->names_size != 0;
}

static bool is_wanted(const struct sampling *s, const mp_thread_info *info)
{
	if (!is_filtered(s))
		return true;
	for (uint32_t i = 0; i < s->options->id_count; i++)
		if (s->ids[i] == info->thread_id)
			return true;
	for (uint32_t at = 0; at < s->options->names_size;) {
		const uint32_t left = s->options->names_size - at;
		if (same_name(info->name, s->names + at, left))
			return true;
		while (at < s->options->names_size && s->names[at] != '\0')
			at++;
		at++;
	}
	return false;
}

/* Tells the reader of a thread, when it is new or its name has changed. */
static void introduce(struct sampling *s, struct sampled *thread)
{
	struct { mp_sample_record record; mp_thread_info info; } introduction;

	if (read_thread_info(thread->port, &introduction.info) != KERN_SUCCESS)
		return;
	const uint64_t name = hash(introduction.info.name, sizeof(introduction.info.name));
	if (thread->id == introduction.info.thread_id && thread->name == name)
		return;
	thread->wanted = is_wanted(s, &introduction.info);
	void *record = begin_record(s, MP_RECORD_THREAD, sizeof(introduction));
	if (record == NULL)
		return;
	memcpy((uint8_t *)record + sizeof(mp_sample_record), &introduction.info,
		sizeof(introduction.info));
	end_record(s, record, sizeof(introduction));
	thread->id = introduction.info.thread_id;
	thread->name = name;
}

static void write_id(struct sampling *s, uint32_t kind, uint64_t id)
{
	struct { mp_sample_record record; uint64_t id; } *record = begin_record(s, kind, sizeof(*record));

	if (record == NULL)
		return;
	record->id = id;
	end_record(s, record, sizeof(*record));
}

static void forget(struct sampling *s, uint32_t index)
{
	struct sampled *thread = &s->threads[index];

	if (thread->id != 0)
		write_id(s, MP_RECORD_EXIT, thread->id);
	mach_port_deallocate(mach_task_self(), thread->port);
	end_run(&thread->run);
	*thread = s->threads[--s->count];
}

/* Lists the threads. Each keeps one reference to its port. */
static kern_return_t list(struct sampling *s)
{
	thread_act_array_t ports = NULL;
	mach_msg_type_number_t count = 0;
	uint32_t hint = 0;
	uint64_t omitted = 0;

	kern_return_t result = task_threads(s->task, &ports, &count);
	if (result != KERN_SUCCESS)
		return result;
	s->listing++;
	for (mach_msg_type_number_t i = 0; i < count; i++) {
		struct sampled *thread = NULL;
		/* A list is in nearly the same order as the last one. */
		for (uint32_t tries = 0; tries < s->count && thread == NULL; tries++) {
			const uint32_t at = (hint + tries) % s->count;
			if (s->threads[at].port == ports[i]) {
				thread = &s->threads[at];
				hint = at + 1;
			}
		}
		if (thread != NULL) {
			thread->seen = s->listing;
		} else if (s->count == MP_SAMPLE_THREADS) {
			omitted++;
		} else {
			thread = &s->threads[s->count++];
			memset(thread, 0, sizeof(*thread));
			thread->port = ports[i];
			thread->seen = s->listing;
			thread->named = s->listed;
			introduce(s, thread);
			ports[i] = MACH_PORT_NULL;
		}
	}
	release_threads(ports, count);
	s->ring->omitted = omitted;
	for (uint32_t i = s->count; i > 0; i--)
		if (s->threads[i - 1].seen != s->listing)
			forget(s, i - 1);
	s->ended = false;
	return KERN_SUCCESS;
}

/* Whether the name of a thread that was introduced is to be read again. */
static bool is_name_due(const struct sampled *thread, uint64_t time)
{
	const bool ran = thread->run.cpu_time != thread->named_time;
	const uint64_t most = ran ? RUN_NAME_INTERVAL : NAME_INTERVAL;
	const uint64_t next = 2 * thread->named_after;

	return time - thread->named >= (next < most ? next : most);
}

/* Reads the name of the next thread that may have another one. Threads get their names some time after they were
 * started, and seldom later. */
static void refresh(struct sampling *s, uint64_t time)
{
	struct thread_extended_info info;

	for (uint32_t tries = 0; tries < s->count; tries++) {
		s->refreshed = (s->refreshed + 1) % s->count;
		struct sampled *thread = &s->threads[s->refreshed];
		if (!is_name_due(thread, time))
			continue;
		thread->named_after = time - thread->named;
		thread->named = time;
		thread->named_time = thread->run.cpu_time;
		mach_msg_type_number_t count = THREAD_EXTENDED_INFO_COUNT;
		if (thread_info(thread->port, THREAD_EXTENDED_INFO, (thread_info_t)&info, &count) == KERN_SUCCESS
			&& hash(info.pth_name, sizeof(info.pth_name)) != thread->name)
			introduce(s, thread);
		return;
	}
}

/* Lists the threads where the list may be another one. */
static kern_return_t relist(struct sampling *s, uint64_t time)
{
	const uint64_t age = time - s->listed;

	if (s->listed != 0 && age < LIST_INTERVAL)
		return KERN_SUCCESS;
	if (thread_count_changed(s->task, &s->thread_count) || s->ended || s->listed == 0
		|| age >= (is_filtered(s) ? FILTER_INTERVAL : RELIST_INTERVAL)) {
		s->listed = time;
		kern_return_t result = list(s);
		if (result != KERN_SUCCESS)
			return result;
	}
	if (time - s->refresh_time >= REFRESH_INTERVAL) {
		s->refresh_time = time;
		refresh(s, time);
	}
	return KERN_SUCCESS;
}

/* Copying */

static void copy(void *context, uint32_t index, const struct stopped *stopped)
{
	struct sampling *s = context;
	struct copied *copied = &s->copies[index];
	const struct sampled *thread = &s->threads[copied->index];

	copied->result = stopped->result;
	copied->size = 0;
	if (stopped->result != KERN_SUCCESS)
		return;
	copied->turns = read_turns(&thread->run);
	memset(copied->state, 0, sizeof(copied->state));
	memcpy(copied->state, stopped->state, s->flavor->words * sizeof(natural_t));
	copied->thread_handle = stopped->thread_handle;
	copied->dispatch_qaddr = stopped->dispatch_qaddr;
	copied->sp = 0;
	memcpy(&copied->sp, (const uint8_t *)copied->state + s->flavor->sp_offset, s->flavor->sp_size);
	if (copied->sp >= thread->low && copied->sp < thread->high) {
		const uint64_t zone = s->flavor->red_zone;
		const uint64_t from
			= (copied->sp - thread->low < zone ? thread->low : copied->sp - zone) & ~(uint64_t)7;
		uint64_t size = thread->high - from;
		if (size > s->options->max_stack)
			size = s->options->max_stack;
		if (size > s->scratch_size - s->scratch_used)
			size = 0;
		copied->address = from;
		copied->bytes = s->scratch + s->scratch_used;
		read_stopped(s->task, s->pid, from, size, s->scratch + s->scratch_used, &copied->size);
		copied->size &= ~(uint64_t)7;
		s->scratch_used += copied->size;
	}
	const uint64_t lasted = mach_absolute_time() - stopped->since;
	if (lasted > s->stopped)
		s->stopped = lasted;
}

/* Memory for the mirror of a stack whose bytes from `from` on are copied. If there is none, all mirrors
 * are given up: the next record of each thread has its whole stack. */
static bool reserve_mirror(struct sampling *s, struct sampled *thread, uint64_t from)
{
	const uint64_t needed = thread->high - from;
	uint64_t size = LEAST_MIRROR;

	if (thread->mirror != NULL && needed <= thread->mirror_size)
		return true;
	while (size < needed * 2)
		size *= 2;
	if (size > s->mirrors_size)
		return false;
	if (size > s->mirrors_size - s->mirrors_used) {
		for (uint32_t i = 0; i < s->count; i++)
			s->threads[i].mirror = NULL;
		s->mirrors_used = 0;
	}
	thread->mirror = s->mirrors + s->mirrors_used;
	thread->mirror_size = size;
	thread->from = thread->to = 0;
	s->mirrors_used += size;
	return true;
}

static uint64_t word_at(const uint8_t *bytes)
{
	uint64_t word;
	memcpy(&word, bytes, sizeof(word));
	return word;
}

/* Whether the 8 bytes at an address are as they were in the last record. */
static bool is_kept(const struct sampled *thread, const struct copied *copied, uint64_t address)
{
	return address >= thread->from && address < thread->to
		&& word_at(thread->mirror + (address - (thread->high - thread->mirror_size)))
			== word_at(copied->bytes + (address - copied->address));
}

/* Writes the changed ranges of a stack behind its record, and updates the mirror. Returns the bytes
 * written. */
static uint64_t write_ranges(
	struct sampled *thread, const struct copied *copied, uint8_t *to, uint32_t *ranges)
{
	const uint64_t end = copied->address + copied->size;
	const uint64_t base = thread->high - thread->mirror_size;
	uint64_t written = 0;

	for (uint64_t at = copied->address; at < end;) {
		if (is_kept(thread, copied, at)) {
			at += 8;
			continue;
		}
		const uint64_t start = at;
		uint64_t changed = at; /* the last changed word */
		for (; at < end && at - changed <= MOST_GAP; at += 8)
			if (!is_kept(thread, copied, at))
				changed = at;
		at = changed + 8;
		const uint32_t range[2] = {(uint32_t)(start - copied->address), (uint32_t)(at - start)};
		const uint8_t *bytes = copied->bytes + range[0];
		memcpy(to + written, range, sizeof(range));
		memcpy(to + written + sizeof(range), bytes, range[1]);
		memcpy(thread->mirror + (start - base), bytes, range[1]);
		written += sizeof(range) + range[1];
		(*ranges)++;
	}
	thread->from = copied->address;
	thread->to = end;
	return written;
}

static void write_stack(struct sampling *s, struct sampled *thread, const struct copied *copied)
{
	/* A range costs 8 bytes and follows a gap of more than MOST_GAP. */
	const uint64_t most = sizeof(mp_sample_stack) + copied->size + copied->size / 8 + 16;
	const bool mirrored = copied->size > 0 && reserve_mirror(s, thread, copied->address);
	mp_sample_stack *stack = begin_record(s, MP_RECORD_STACK, most);

	if (stack == NULL) {
		/* The reader does not have these bytes. */
		thread->from = thread->to = 0;
		return;
	}
	*stack = (mp_sample_stack){
		.record = stack->record,
		.thread_id = thread->id,
		.cpu_time = thread->run.cpu_time,
		.thread_handle = copied->thread_handle,
		.dispatch_qaddr = copied->dispatch_qaddr,
		.stack_address = copied->address,
		.stack_size = mirrored ? copied->size : 0,
		.stack_end = thread->high,
		.run_state = thread->run.state,
		.ticks = s->options->flags & MP_SAMPLE_OFF_CPU ? thread->pending + 1 : 1,
	};
	thread->pending = 0;
	memcpy(stack->state, copied->state, sizeof(stack->state));
	uint64_t size = sizeof(*stack);
	if (mirrored)
		size += write_ranges(thread, copied, (uint8_t *)(stack + 1), &stack->range_count);
	else
		thread->from = thread->to = 0;
	end_record(s, stack, size);
	s->stacks++;
	thread->credit -= (int64_t)s->options->period_ns;
	thread->walked = true;
	thread->walked_time = thread->run.cpu_time;
	thread->walked_turns = copied->turns;
}

static bool is_gone(kern_return_t result)
{
	return result == MACH_SEND_INVALID_DEST || result == KERN_TERMINATED
		|| result == KERN_INVALID_ARGUMENT;
}

/* Brings up to date what a thread has had of the CPUs. */
static void look(struct sampling *s, struct sampled *thread, uint64_t time)
{
	const int64_t period = (int64_t)s->options->period_ns;
	const int64_t most = period * MOST_CREDIT > LEAST_CREDIT ? period * MOST_CREDIT : LEAST_CREDIT;
	const struct run before = thread->run;

	if (read_run(thread->port, &thread->run) != KERN_SUCCESS) {
		s->ended = true;
		thread->run.state = TH_STATE_HALTED;
		return;
	}
	if (thread->pending)
		thread->run.state = before.state;
	const uint64_t had = thread->run.cpu_time - before.cpu_time;
	if (!thread->looked)
		thread->credit = period;
	else
		thread->credit = had > (uint64_t)(most - thread->credit) ? most : thread->credit + (int64_t)had;
	if (thread->looked && (had != 0 || thread->run.turns != before.turns))
		thread->ran = time;
	thread->looked = true;
}

/* Whether a thread is looked at for each sample. */
static bool is_watched(const struct sampling *s, uint32_t index, uint64_t time)
{
	const struct sampled *thread = &s->threads[index];

	return !thread->looked || (thread->ran != 0 && time - thread->ran < WATCH_INTERVAL)
		|| index % TURNS == s->turn;
}

/*
 * Brings up to date what the threads have had of the CPUs. Most threads of most programs wait for long. These are
 * looked at in turns, and all at once when the task has had CPU time that is not of the others. So one of them that
 * begins to run is missed only in its first milliseconds, which its account does not show yet, and then not
 * for the next ten seconds.
 */
static void look_at_all(struct sampling *s, uint64_t time)
{
	uint64_t total = 0, known = 0;

	s->turn = (s->turn + 1) % TURNS;
	for (uint32_t i = 0; i < s->count; i++) {
		if (s->threads[i].id == 0)
			introduce(s, &s->threads[i]);
		if (s->threads[i].wanted && (!s->sums || is_watched(s, i, time)))
			look(s, &s->threads[i], time);
		known += s->threads[i].run.cpu_time;
	}
	if (!s->sums || !read_task_time(s->pid, &total))
		return;
	if (total - known > s->rest) {
		for (uint32_t i = 0; i < s->count; i++) {
			struct sampled *thread = &s->threads[i];
			const uint64_t before = thread->run.cpu_time;
			if (!is_watched(s, i, time))
				look(s, thread, time);
			known += thread->run.cpu_time - before;
		}
	}
	s->rest = total - known;
}

/* Chooses the threads to stop. Where more threads could run than there are CPUs, each of them waits most of
 * the time: its samples are as many as its CPU time has periods. */
static void choose(struct sampling *s)
{
	const bool waiting = s->options->flags & MP_SAMPLE_OFF_CPU;

	s->copy_count = 0;
	for (uint32_t i = 0; i < s->count; i++) {
		struct sampled *thread = &s->threads[i];
		if (thread->id == 0 || !thread->wanted)
			continue;
		/* One that could run, and has had no CPU since it stood still, is where it was. */
		const bool had_turn = thread->walked_turns == 0 || thread->run.turns != thread->walked_turns;
		const bool ran = !thread->walked
			|| thread->run.cpu_time - thread->walked_time >= least_run;
		if (!thread->pending && (waiting ? had_turn || ran : had_turn && thread->credit > 0)
			&& read_run_state(thread->port, &thread->run) != KERN_SUCCESS) {
			s->ended = true;
			continue;
		}
		const bool runs = thread->run.state == TH_STATE_RUNNING && had_turn;
		if (thread->pending || (waiting ? runs || ran : runs && thread->credit > 0)) {
			s->copies[s->copy_count].index = i;
			s->ports[s->copy_count++] = thread->port;
		}
	}
}

/* Stops and copies the chosen threads, and writes their records. Those whose stack is elsewhere than thought
 * stay chosen. */
static kern_return_t visit(struct sampling *s, bool last, uint64_t deadline)
{
	uint32_t left = 0;

	if (s->copy_count == 0)
		return KERN_SUCCESS;
	s->scratch_used = 0;
	kern_return_t result = visit_stopped(s->task, s->ports, s->copy_count, s->flavor->number,
		s->flavor->words, deadline, copy, s);
	if (result != KERN_SUCCESS)
		return result;
	for (uint32_t i = 0; i < s->copy_count; i++) {
		struct copied *copied = &s->copies[i];
		struct sampled *thread = &s->threads[copied->index];
		if (copied->result != KERN_SUCCESS) {
			const bool waits = copied->result == KERN_OPERATION_TIMED_OUT;
			thread->pending = waits ? thread->pending + 1 : 0;
			if (waits)
				write_id(s, MP_RECORD_QUEUED, thread->id);
			continue;
		}
		if (!last && (copied->sp < thread->low || copied->sp >= thread->high)) {
			/* Found while the target runs: that takes a while. */
			uint64_t high = thread->high;
			if (find_stack(s->task, copied->sp, &thread->low, &thread->high) != KERN_SUCCESS)
				thread->low = thread->high = 0;
			if (thread->high != high)
				thread->mirror = NULL;
			if (thread->high != 0) {
				s->ports[left] = thread->port;
				s->copies[left++].index = copied->index;
				continue;
			}
		}
		write_stack(s, thread, copied);
	}
	s->copy_count = left;
	return KERN_SUCCESS;
}

static uint64_t now(void)
{
	return nanoseconds(mach_absolute_time());
}

/* mach_wait_until() takes ticks. */
static uint64_t ticks(uint64_t nanoseconds)
{
	mach_timebase_info_data_t timebase;
	if (mach_timebase_info(&timebase) != KERN_SUCCESS || timebase.numer == 0)
		return nanoseconds;
	return nanoseconds / timebase.numer * timebase.denom
		+ nanoseconds % timebase.numer * timebase.denom / timebase.numer;
}

static bool is_stopped(const struct sampling *s)
{
	return __atomic_load_n(&s->ring->stop, __ATOMIC_RELAXED) != 0;
}

/* Sleeps until a time in nanoseconds, or until the caller stops it. */
static void wait_until(const struct sampling *s, uint64_t due)
{
	for (uint64_t time = now(); time < due && !is_stopped(s); time = now()) {
		const uint64_t next = due - time > STOP_INTERVAL ? time + STOP_INTERVAL : due;
		mach_wait_until(ticks(next));
	}
}

static kern_return_t run(struct sampling *s)
{
	const uint64_t period = s->options->period_ns;
	const uint64_t start = now();
	uint64_t due = start;
	/* At a real-time priority a schedule that cannot be kept would take a whole CPU: the only one that the
	 * target and the reader of the ring may have. So each sample is followed by as long a rest. */
	uint64_t rested = start;
	kern_return_t result = KERN_SUCCESS;

	s->ring->start = start;
	__atomic_store_n(&s->ring->running, 1, __ATOMIC_RELEASE);
	while (s->options->count == 0 || s->ring->samples < s->options->count) {
		wait_until(s, due > rested ? due : rested);
		if (is_stopped(s))
			break;
		const uint64_t time = now();
		result = relist(s, time);
		if (result != KERN_SUCCESS)
			break;
		look_at_all(s, time);
		choose(s);
		/* The next sample is not to be late for a thread that does not stop. */
		const uint64_t last = due + period - period / 16;
		const uint64_t most = time + LEAST_WAIT > last ? time + LEAST_WAIT : last;
		const uint64_t deadline = ticks(most < time + MOST_WAIT ? most : time + MOST_WAIT);
		s->stopped = 0;
		result = visit(s, false, deadline);
		if (result == KERN_SUCCESS)
			result = visit(s, true, deadline);
		if (result != KERN_SUCCESS && is_gone(result))
			break;
		result = KERN_SUCCESS;
		mp_sample_tick *tick = begin_record(s, MP_RECORD_TICK, sizeof(*tick));
		if (tick != NULL) {
			*tick = (mp_sample_tick){
				.record = tick->record,
				.time = time - start,
				.late = time - due,
				.stopped_ns = nanoseconds(s->stopped),
				.threads = s->count,
				.stacks = s->stacks,
			};
			end_record(s, tick, sizeof(*tick));
		}
		s->stacks = 0;
		s->ring->samples++;
		due += period;
		rested = now() + sample_work(&s->hurry, time);
		if (rested > due) {
			const uint64_t missed = (rested - due) / period;
			s->ring->missed += missed;
			due += missed * period;
		}
	}
	return result;
}

int32_t mp_sample(uint32_t task, int32_t flavor, const mp_sample_options *options,
	const uint64_t *ids, const char *names, void *ring, uint64_t ring_size, void *arena,
	uint64_t arena_size)
{
	struct sampling s;
	uint8_t *free = arena;

	memset(&s, 0, sizeof(s));
	s.flavor = find_flavor(flavor);
	if (s.flavor == NULL || is_self(task) || options->period_ns < LEAST_PERIOD
		|| (uintptr_t)ring % 8 != 0 || (uintptr_t)arena % 8 != 0 || arena_size < LEAST_ARENA
		|| ring_size < sizeof(mp_sample_ring) + (1 << 16))
		return KERN_INVALID_ARGUMENT;
	kern_return_t result = pid_for_task(task, &s.pid);
	if (result != KERN_SUCCESS)
		return result;
	s.task = task;
	s.options = options;
	s.ids = ids;
	s.names = names;
	s.ring = ring;
	s.data = (uint8_t *)ring + sizeof(mp_sample_ring);
	s.size = (ring_size - sizeof(mp_sample_ring)) & ~(uint64_t)7;
	s.threads = (struct sampled *)free;
	free += MP_SAMPLE_THREADS * sizeof(s.threads[0]);
	s.copies = (struct copied *)free;
	free += MP_SAMPLE_THREADS * sizeof(s.copies[0]);
	s.ports = (thread_act_t *)free;
	free += MP_SAMPLE_THREADS * sizeof(s.ports[0]);
	const uint64_t left = (arena_size - (uint64_t)(free - (uint8_t *)arena)) & ~(uint64_t)15;
	s.scratch = free;
	s.scratch_size = left / 2;
	s.mirrors = free + left / 2;
	s.mirrors_size = left / 2;

	uint64_t time;
	s.sums = !is_filtered(&s) && read_task_time(s.pid, &time);
	begin_hurry(task, &s.hurry);
	result = run(&s);
	end_hurry(&s.hurry);
	for (uint32_t i = 0; i < s.count; i++) {
		mach_port_deallocate(mach_task_self(), s.threads[i].port);
		end_run(&s.threads[i].run);
	}
	__atomic_store_n(&s.ring->running, 0, __ATOMIC_RELEASE);
	return result;
}
