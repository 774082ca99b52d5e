/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// A library for LD_PRELOAD, with which one call of a kind fails, as on a machine that is at its
// limits: the n-th one since main() began, of the program and of all processes that it forks.
// tools/inject-faults uses it. Programs that they start by exec are left alone.
//
// DML_FAULT=KIND:N says which; DML_FAULT_STATE names a file in which the calls are counted: two
// numbers of 64 bits, calls so far and faults so far.

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <utility>

namespace
{

enum Kind
{
    OPEN,
    WRITE,
    FSYNC,
    RENAME,
    FORK,
    ALLOCATION,
    KINDS
};

const char* const NAMES[KINDS] = {"open", "write", "fsync", "rename", "fork", "allocation"};

/// Of all processes.
struct State
{
    std::atomic<uint64_t> calls;
    std::atomic<uint64_t> faults;
};

State* g_state = nullptr; //!< null: nothing fails
Kind g_kind = KINDS;      //!< what fails
uint64_t g_number = 0;    //!< which of them

/// @return whether this call of the kind is to fail
bool
Fails(Kind kind, int error)
{
    if (!g_state || kind != g_kind || ++g_state->calls != g_number)
    {
        return false;
    }
    ++g_state->faults;
    if (getenv("DML_FAULT_STACK")) // where it was, for those who look for a mistake
    {
        State* const state = std::exchange(g_state, nullptr);
        void* frames[64];
        backtrace_symbols_fd(frames, backtrace(frames, 64), STDERR_FILENO);
        g_state = state;
    }
    errno = error;
    return true;
}

/// @return the function of the next library
template <typename Function>
Function*
FindNext(const char* name, Function* /* of this type */)
{
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

void
Begin()
{
    const char* const fault = getenv("DML_FAULT");
    const char* const state = getenv("DML_FAULT_STATE");
    const char* const number = fault ? strchr(fault, ':') : nullptr;
    unsetenv("LD_PRELOAD"); // for what is started by exec
    if (!number || !state)
    {
        return;
    }
    int kind = 0;
    while (kind < KINDS && (strlen(NAMES[kind]) != static_cast<size_t>(number - fault) ||
                            strncmp(fault, NAMES[kind], number - fault) != 0))
    {
        ++kind;
    }
    const int file = open(state, O_RDWR);
    void* const memory = mmap(nullptr, sizeof(State), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (kind == KINDS || file < 0 || memory == MAP_FAILED)
    {
        fprintf(stderr, "dml-faults: DML_FAULT or DML_FAULT_STATE is wrong\n");
        _exit(99);
    }
    close(file);
    g_kind = static_cast<Kind>(kind);
    g_number = strtoull(number + 1, nullptr, 10);
    g_state = static_cast<State*>(memory);
}

using Main = int (*)(int, char**, char**);

Main g_main = nullptr; //!< of the program

int
FaultyMain(int argc, char** argv, char** environment)
{
    Begin();
    const int code = g_main(argc, argv, environment);
    g_state = nullptr; // nobody is there any more to say what has failed
    return code;
}

} // namespace

extern "C"
{
    int __libc_start_main(Main main,
                          int argc,
                          char** argv,
                          void (*init)(),
                          void (*fini)(),
                          void (*end)(),
                          void* stack)
    {
        g_main = main;
        int next(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
        return FindNext("__libc_start_main", &next)(FaultyMain, argc, argv, init, fini, end, stack);
    }

#define DML_FAULTS_OPEN(name)                                                                      \
    int name(const char* path, int flags, ...)                                                     \
    {                                                                                              \
        va_list more;                                                                              \
        va_start(more, flags);                                                                     \
        const mode_t mode = va_arg(more, mode_t);                                                  \
        va_end(more);                                                                              \
        return Fails(OPEN, EMFILE) ? -1 : FindNext(#name, &name)(path, flags, mode);               \
    }

#define DML_FAULTS_OPENAT(name)                                                                    \
    int name(int folder, const char* path, int flags, ...)                                         \
    {                                                                                              \
        va_list more;                                                                              \
        va_start(more, flags);                                                                     \
        const mode_t mode = va_arg(more, mode_t);                                                  \
        va_end(more);                                                                              \
        return Fails(OPEN, EMFILE) ? -1 : FindNext(#name, &name)(folder, path, flags, mode);       \
    }

    DML_FAULTS_OPEN(open)
    DML_FAULTS_OPEN(open64)
    DML_FAULTS_OPENAT(openat)
    DML_FAULTS_OPENAT(openat64)

    FILE* fopen(const char* path, const char* mode)
    {
        return Fails(OPEN, EMFILE) ? nullptr : FindNext("fopen", &fopen)(path, mode);
    }

    FILE* fopen64(const char* path, const char* mode)
    {
        return Fails(OPEN, EMFILE) ? nullptr : FindNext("fopen64", &fopen64)(path, mode);
    }

    DIR* opendir(const char* path)
    {
        return Fails(OPEN, EMFILE) ? nullptr : FindNext("opendir", &opendir)(path);
    }

    ssize_t write(int file, const void* data, size_t size)
    {
        return Fails(WRITE, ENOSPC) ? -1 : FindNext("write", &write)(file, data, size);
    }

    ssize_t writev(int file, const iovec* data, int count)
    {
        return Fails(WRITE, ENOSPC) ? -1 : FindNext("writev", &writev)(file, data, count);
    }

    ssize_t copy_file_range(int from,
                            off64_t* at,
                            int to,
                            off64_t* there,
                            size_t size,
                            unsigned int flags)
    {
        return Fails(WRITE, ENOSPC) ? -1
                                    : FindNext("copy_file_range",
                                               &copy_file_range)(from, at, to, there, size, flags);
    }

    int fsync(int file)
    {
        return Fails(FSYNC, EIO) ? -1 : FindNext("fsync", &fsync)(file);
    }

    int rename(const char* from, const char* to) noexcept
    {
        return Fails(RENAME, EIO) ? -1 : FindNext("rename", &rename)(from, to);
    }

    int renameat(int folder, const char* from, int other, const char* to) noexcept
    {
        return Fails(RENAME, EIO) ? -1 : FindNext("renameat", &renameat)(folder, from, other, to);
    }

    int link(const char* from, const char* to) noexcept
    {
        return Fails(RENAME, EIO) ? -1 : FindNext("link", &link)(from, to);
    }

    int mkdir(const char* path, mode_t mode) noexcept
    {
        return Fails(RENAME, EIO) ? -1 : FindNext("mkdir", &mkdir)(path, mode);
    }

    int unlinkat(int folder, const char* path, int flags) noexcept
    {
        return Fails(RENAME, EIO) ? -1 : FindNext("unlinkat", &unlinkat)(folder, path, flags);
    }

    int remove(const char* path) noexcept
    {
        return Fails(RENAME, EIO) ? -1 : FindNext("remove", &remove)(path);
    }

    pid_t fork() noexcept
    {
        return Fails(FORK, EAGAIN) ? -1 : FindNext("fork", &fork)();
    }

    int pipe(int* ends) noexcept
    {
        return Fails(FORK, EMFILE) ? -1 : FindNext("pipe", &pipe)(ends);
    }

    int pipe2(int* ends, int flags) noexcept
    {
        return Fails(FORK, EMFILE) ? -1 : FindNext("pipe2", &pipe2)(ends, flags);
    }

    void* __libc_malloc(size_t size);
    void* __libc_calloc(size_t count, size_t size);
    void* __libc_realloc(void* memory, size_t size);
    void* __libc_memalign(size_t alignment, size_t size);

    void* malloc(size_t size) noexcept
    {
        return Fails(ALLOCATION, ENOMEM) ? nullptr : __libc_malloc(size);
    }

    void* calloc(size_t count, size_t size) noexcept
    {
        return Fails(ALLOCATION, ENOMEM) ? nullptr : __libc_calloc(count, size);
    }

    void* realloc(void* memory, size_t size) noexcept
    {
        return Fails(ALLOCATION, ENOMEM) ? nullptr : __libc_realloc(memory, size);
    }

    void* aligned_alloc(size_t alignment, size_t size) noexcept
    {
        return Fails(ALLOCATION, ENOMEM) ? nullptr : __libc_memalign(alignment, size);
    }
}
