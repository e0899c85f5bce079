/*
 * dyld_infos.c: tells debuggers which images there are. The structure is at the start of a mapping
 * named "dyld_all_image_infos", because Linux has no task_info(TASK_DYLD_INFO).
 */
#include "dyld_images.h"
#include "loader.h"
#include "sys.h"

#include <linux/mman.h>
#include <string.h>

#define SPACE 65536u
#define MAX_IMAGES ((SPACE - sizeof(struct dyld_all_image_infos)) / (sizeof(struct dyld_image_info) + sizeof(struct dyld_uuid_info)))

static struct dyld_all_image_infos *infos;

static uint64_t now(void)
{
	struct sys_timespec time = { 0, 0 };
	sys2(__NR_clock_gettime, 1, (long)&time); /* CLOCK_MONOTONIC */
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static uint32_t platform(void)
{
	const struct build_version_command *command = (const void *)image_find_command(loader_images, LC_BUILD_VERSION);
	return command ? command->platform : 0;
}

void dyld_infos_update(void)
{
	if (!infos)
		return;
	struct dyld_image_info *list = (struct dyld_image_info *)(infos + 1);
	struct dyld_uuid_info *uuids = (struct dyld_uuid_info *)(list + MAX_IMAGES);
	uint32_t count = 0;
	uintptr_t uuid_count = 0;
	/* As dyld does: a reader that finds NULL tries again later. */
	infos->infoArray = NULL;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for (const struct image *image = loader_images; image && count < MAX_IMAGES; image = image->next) {
		list[count].imageLoadAddress = image->load_address;
		list[count].imageFilePath = image->path;
		list[count++].imageFileModDate = (uintptr_t)image->modification_time;
		const struct uuid_command *uuid = (const void *)image_find_command(image, LC_UUID);
		if (uuid) {
			uuids[uuid_count].imageLoadAddress = image->load_address;
			memcpy(uuids[uuid_count++].imageUUID, uuid->uuid, sizeof uuid->uuid);
		}
	}
	infos->infoArrayCount = count;
	infos->uuidArray = uuids;
	infos->uuidArrayCount = uuid_count;
	infos->infoArrayChangeTimestamp = now();
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	infos->infoArray = list;
}

bool dyld_infos_publish(const char *loader_path)
{
	long fd = sys2(__NR_memfd_create, (long)"dyld_all_image_infos", 1 /* MFD_CLOEXEC */);
	if (sys_failed(fd) || sys_failed(sys2(__NR_ftruncate, fd, SPACE)))
		return fail_path("dyld_all_image_infos", "cannot be created");
	long at = sys_mmap(0, SPACE, PROT_READ | PROT_WRITE, MAP_SHARED, (int)fd, 0);
	sys1(__NR_close, fd);
	if (sys_failed(at))
		return fail_path("dyld_all_image_infos", "cannot be mapped");
	infos = (struct dyld_all_image_infos *)at;
	infos->version = DYLD_ALL_IMAGE_INFOS_VERSION;
	infos->dyldVersion = "1";
	infos->dyldPath = loader_path;
	infos->dyldAllImageInfosAddress = infos;
	infos->platform = platform();
	dyld_infos_update();
	infos->initialImageCount = infos->infoArrayCount;
	return true;
}

void dyld_infos_program_starts(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	infos->libSystemInitialized = true;
}
