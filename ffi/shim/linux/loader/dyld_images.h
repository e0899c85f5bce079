/* dyld_images.h: what <mach-o/dyld_images.h> publishes to debuggers, version 16, in the layout of
 * this loader's own pointer size. */
#ifndef LOADER_DYLD_IMAGES_H
#define LOADER_DYLD_IMAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dyld_image_info {
	uintptr_t imageLoadAddress;
	const char *imageFilePath;
	uintptr_t imageFileModDate;
};

struct dyld_uuid_info {
	uintptr_t imageLoadAddress;
	uint8_t imageUUID[16];
};

#define DYLD_ALL_IMAGE_INFOS_VERSION 16

/* Darwin's 32-bit processors align uint64_t to 4 bytes; some of Linux's want 8. */
#pragma pack(push, __SIZEOF_POINTER__)
struct dyld_all_image_infos {
	uint32_t version;
	uint32_t infoArrayCount;
	const struct dyld_image_info *volatile infoArray; /* NULL while it changes */
	uintptr_t notification;
	bool processDetachedFromSharedRegion;
	bool libSystemInitialized;
	uintptr_t dyldImageLoadAddress;
	uintptr_t jitInfo;
	const char *dyldVersion;
	const char *errorMessage;
	uintptr_t terminationFlags;
	uintptr_t coreSymbolicationShmPage;
	uintptr_t systemOrderFlag;
	uintptr_t uuidArrayCount;
	const struct dyld_uuid_info *uuidArray;
	struct dyld_all_image_infos *dyldAllImageInfosAddress;
	uintptr_t initialImageCount;
	uintptr_t errorKind;
	const char *errorClientOfDylibPath;
	const char *errorTargetDylibPath;
	const char *errorSymbol;
	uintptr_t sharedCacheSlide;
	uint8_t sharedCacheUUID[16];
	uintptr_t sharedCacheBaseAddress;
	volatile uint64_t infoArrayChangeTimestamp;
	const char *dyldPath;
	uint32_t notifyPorts[8];
	uintptr_t reserved[__SIZEOF_POINTER__ == 8 ? 7 : 1];
	uint64_t sharedCacheFSID;
	uint64_t sharedCacheFSObjID;
	uintptr_t compact_dyld_image_info_addr;
	uintptr_t compact_dyld_image_info_size;
	uint32_t platform;
};
#pragma pack(pop)

#if __SIZEOF_POINTER__ == 8
_Static_assert(offsetof(struct dyld_all_image_infos, infoArrayChangeTimestamp) == 184, "64-bit layout");
_Static_assert(offsetof(struct dyld_all_image_infos, platform) == 320, "64-bit layout");
#else
_Static_assert(offsetof(struct dyld_all_image_infos, infoArrayChangeTimestamp) == 104, "32-bit layout");
_Static_assert(offsetof(struct dyld_all_image_infos, platform) == 176, "32-bit layout");
#endif

#endif
