/*
 * Makes one call of a program fail that touches a beads folder. Preloaded (LD_PRELOAD) by tests/crash/fault.rs.
 *
 * Calls on paths with "/.beads" in them are counted; those on settings are not. By the environment:
 *   FAULT_LOG    a file to which each counted call is appended: "number name path"
 *   FAULT_AT     the number of the call that fails; nothing fails without it
 *   FAULT_KIND   eio | enospc: that call fails with this error
 *                full: that call and every later one that needs room fail with ENOSPC
 *                short: that write really writes half, and the next one fails with ENOSPC
 *   FAULT_FILE, FAULT_FROM, FAULT_TO
 *                every read of these bytes of the file of this name fails with EIO, as of a bad place on the disk
 * What needs room: creating, writing, syncing, linking, growing. Memory maps fail with EIO or ENOMEM.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum verdict { PASS, FAIL, HALF };

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static long count;
static int halved;

static int is_store(const char *path)
{
    static const char *const settings[] = {"config.yaml", "config.local.yaml", "metadata.json", "redirect", "routes.jsonl"};
    const char *store = strstr(path, "/.beads");
    if (!store || (store[7] != '/' && store[7] != '\0'))
        return 0;
    const char *name = strrchr(path, '/') + 1;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (!strcmp(name, settings[i]))
            return 0;
    return 1;
}

static void path_of_fd(int fd, char out[PATH_MAX])
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    long length = syscall(SYS_readlinkat, AT_FDCWD, link, out, PATH_MAX - 1);
    out[length > 0 ? length : 0] = '\0';
}

static void path_at(int folder, const char *path, char out[PATH_MAX])
{
    char above[PATH_MAX] = "";
    if (!path)
        path = "";
    if (path[0] == '/') {
        snprintf(out, PATH_MAX, "%s", path);
        return;
    }
    if (folder == AT_FDCWD) {
        if (syscall(SYS_getcwd, above, sizeof above) < 0)
            above[0] = '\0';
    } else {
        path_of_fd(folder, above);
    }
    /* A path that was cut names no file of a test. */
    if (snprintf(out, PATH_MAX, "%.2000s/%.2000s", above, path) < 0)
        out[0] = '\0';
}

/* What is to become of a call; on FAIL errno is set. */
static enum verdict judge(const char *name, const char *path, int writes, int needs_room)
{
    if (!is_store(path))
        return PASS;
    pthread_mutex_lock(&guard);
    long number = ++count;
    const char *log = getenv("FAULT_LOG"), *at = getenv("FAULT_AT"), *kind = getenv("FAULT_KIND");
    if (log) {
        char line[PATH_MAX + 64];
        int length = snprintf(line, sizeof line, "%ld %s %s\n", number, name, path);
        long file = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND, 0600);
        if (file >= 0) {
            syscall(SYS_write, file, line, length);
            syscall(SYS_close, file);
        }
    }
    long wanted = at ? atol(at) : 0;
    enum verdict verdict = PASS;
    int error = 0;
    if (wanted > 0 && kind) {
        int now = number == wanted;
        if (!strcmp(kind, "eio") && now)
            error = EIO;
        else if (!strcmp(kind, "enospc") && now)
            error = ENOSPC;
        else if (!strcmp(kind, "full") && number >= wanted && needs_room)
            error = ENOSPC;
        else if (!strcmp(kind, "short") && now && writes) {
            halved = 1;
            verdict = HALF;
        } else if (halved && writes) {
            halved = 0;
            error = ENOSPC;
        }
    }
    pthread_mutex_unlock(&guard);
    if (error) {
        errno = error;
        return FAIL;
    }
    return verdict;
}

#define REAL(type, name, ...) ((type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name))

static int open_at(const char *name, int folder, const char *path, int flags, mode_t mode)
{
    char full[PATH_MAX];
    path_at(folder, path, full);
    if (judge(name, full, 0, (flags & O_CREAT) != 0) == FAIL)
        return -1;
    return REAL(int, "openat64", int, const char *, int, ...)(folder, path, flags, mode);
}

#define MODE(flags)                                                                                                   \
    mode_t mode = 0;                                                                                                  \
    if ((flags) & (O_CREAT | __O_TMPFILE)) {                                                                          \
        va_list more;                                                                                                 \
        va_start(more, flags);                                                                                        \
        mode = va_arg(more, mode_t);                                                                                  \
        va_end(more);                                                                                                 \
    }

int open(const char *path, int flags, ...)
{
    MODE(flags)
    return open_at("open", AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    MODE(flags)
    return open_at("open", AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...)
{
    MODE(flags)
    return open_at("openat", folder, path, flags, mode);
}

int openat64(int folder, const char *path, int flags, ...)
{
    MODE(flags)
    return open_at("openat", folder, path, flags, mode);
}

static enum verdict judge_fd(const char *name, int fd, int writes, int needs_room)
{
    char path[PATH_MAX];
    path_of_fd(fd, path);
    return judge(name, path, writes, needs_room);
}

static size_t half(size_t length) { return length / 2; }

ssize_t write(int fd, const void *bytes, size_t length)
{
    enum verdict verdict = judge_fd("write", fd, 1, 1);
    if (verdict == FAIL)
        return -1;
    if (verdict == HALF)
        length = half(length);
    return REAL(ssize_t, "write", int, const void *, size_t)(fd, bytes, length);
}

static ssize_t write_at(int fd, const void *bytes, size_t length, off64_t place)
{
    enum verdict verdict = judge_fd("pwrite", fd, 1, 1);
    if (verdict == FAIL)
        return -1;
    if (verdict == HALF)
        length = half(length);
    return REAL(ssize_t, "pwrite64", int, const void *, size_t, off64_t)(fd, bytes, length, place);
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t place) { return write_at(fd, bytes, length, place); }
ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t place) { return write_at(fd, bytes, length, place); }

ssize_t writev(int fd, const struct iovec *parts, int number)
{
    enum verdict verdict = judge_fd("writev", fd, 1, 1);
    if (verdict == FAIL)
        return -1;
    if (verdict == HALF && number > 0)
        return REAL(ssize_t, "write", int, const void *, size_t)(fd, parts[0].iov_base, half(parts[0].iov_len));
    return REAL(ssize_t, "writev", int, const struct iovec *, int)(fd, parts, number);
}

ssize_t read(int fd, void *bytes, size_t length)
{
    if (judge_fd("read", fd, 0, 0) == FAIL)
        return -1;
    return REAL(ssize_t, "read", int, void *, size_t)(fd, bytes, length);
}

/* Whether a read meets the bad place of the disk. */
static int is_bad(int fd, size_t length, off64_t place)
{
    const char *name = getenv("FAULT_FILE"), *from = getenv("FAULT_FROM"), *to = getenv("FAULT_TO");
    if (!name || !from || !to || place >= atoll(to) || place + (off64_t)length <= atoll(from))
        return 0;
    char path[PATH_MAX];
    path_of_fd(fd, path);
    const char *end = strrchr(path, '/');
    return end && is_store(path) && !strcmp(end + 1, name);
}

static ssize_t read_at(int fd, void *bytes, size_t length, off64_t place)
{
    if (judge_fd("pread", fd, 0, 0) == FAIL)
        return -1;
    if (is_bad(fd, length, place)) {
        errno = EIO;
        return -1;
    }
    return REAL(ssize_t, "pread64", int, void *, size_t, off64_t)(fd, bytes, length, place);
}

ssize_t pread(int fd, void *bytes, size_t length, off_t place) { return read_at(fd, bytes, length, place); }
ssize_t pread64(int fd, void *bytes, size_t length, off64_t place) { return read_at(fd, bytes, length, place); }

ssize_t copy_file_range(int from, off64_t *from_place, int to, off64_t *to_place, size_t length, unsigned flags)
{
    enum verdict verdict = judge_fd("copy_file_range", to, 1, 1);
    if (verdict == FAIL)
        return -1;
    if (verdict == HALF)
        length = half(length);
    return REAL(ssize_t, "copy_file_range", int, off64_t *, int, off64_t *, size_t, unsigned)(
        from, from_place, to, to_place, length, flags);
}

int fsync(int fd)
{
    return judge_fd("fsync", fd, 0, 1) == FAIL ? -1 : REAL(int, "fsync", int)(fd);
}

int fdatasync(int fd)
{
    return judge_fd("fdatasync", fd, 0, 1) == FAIL ? -1 : REAL(int, "fdatasync", int)(fd);
}

int ftruncate(int fd, off_t length)
{
    return judge_fd("ftruncate", fd, 0, 0) == FAIL ? -1 : REAL(int, "ftruncate64", int, off64_t)(fd, length);
}

int ftruncate64(int fd, off64_t length)
{
    return judge_fd("ftruncate", fd, 0, 0) == FAIL ? -1 : REAL(int, "ftruncate64", int, off64_t)(fd, length);
}

static int fails_at(const char *name, int folder, const char *path, int needs_room)
{
    char full[PATH_MAX];
    path_at(folder, path, full);
    return judge(name, full, 0, needs_room) == FAIL;
}

int rename(const char *from, const char *to)
{
    return fails_at("rename", AT_FDCWD, to, 1) ? -1 : REAL(int, "rename", const char *, const char *)(from, to);
}

int renameat(int a, const char *from, int b, const char *to)
{
    return fails_at("renameat", b, to, 1) ? -1
                                          : REAL(int, "renameat", int, const char *, int, const char *)(a, from, b, to);
}

int renameat2(int a, const char *from, int b, const char *to, unsigned flags)
{
    return fails_at("renameat2", b, to, 1)
               ? -1
               : REAL(int, "renameat2", int, const char *, int, const char *, unsigned)(a, from, b, to, flags);
}

int link(const char *from, const char *to)
{
    return fails_at("link", AT_FDCWD, to, 1) ? -1 : REAL(int, "link", const char *, const char *)(from, to);
}

int linkat(int a, const char *from, int b, const char *to, int flags)
{
    return fails_at("linkat", b, to, 1)
               ? -1
               : REAL(int, "linkat", int, const char *, int, const char *, int)(a, from, b, to, flags);
}

int unlink(const char *path)
{
    return fails_at("unlink", AT_FDCWD, path, 0) ? -1 : REAL(int, "unlink", const char *)(path);
}

int unlinkat(int folder, const char *path, int flags)
{
    return fails_at("unlinkat", folder, path, 0) ? -1
                                                 : REAL(int, "unlinkat", int, const char *, int)(folder, path, flags);
}

static void *map(void *place, size_t length, int protection, int flags, int fd, off64_t at)
{
    if (!(flags & MAP_ANONYMOUS) && fd >= 0 && judge_fd("mmap", fd, 0, 0) == FAIL) {
        if (errno == ENOSPC)
            errno = ENOMEM;
        return MAP_FAILED;
    }
    return (void *)syscall(SYS_mmap, place, length, protection, flags, fd, at);
}

void *mmap(void *place, size_t length, int protection, int flags, int fd, off_t at)
{
    return map(place, length, protection, flags, fd, at);
}

void *mmap64(void *place, size_t length, int protection, int flags, int fd, off64_t at)
{
    return map(place, length, protection, flags, fd, at);
}
