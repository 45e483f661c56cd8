/* Runs files, or all files of directories, through a fuzz target's entry: the corpora as plain tests. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path) {
    FILE *f = fopen(path, "rb");
    if (!f) return -1;
    fseek(f, 0, SEEK_END);
    long size = ftell(f);
    rewind(f);
    uint8_t *data =
        malloc(size > 0 ? (size_t)size : 1); /* its own block, so that a sanitizer sees reads past it */
    int failed = !data || size < 0 || fread(data, 1, (size_t)size, f) != (size_t)size;
    fclose(f);
    if (!failed) LLVMFuzzerTestOneInput(data, (size_t)size);
    free(data);
    return failed ? -1 : 1;
}

/* How many files were run; -1 when one could not be read. */
static int replay(const char *path) {
    struct stat about;
    if (stat(path, &about)) return -1;
    if (!S_ISDIR(about.st_mode)) return replay_file(path);
    DIR *d = opendir(path);
    int count = 0;
    if (!d) return -1;
    for (struct dirent *e; (e = readdir(d));) {
        char name[4096];
        if (e->d_name[0] == '.') continue;
        snprintf(name, sizeof name, "%s/%s", path, e->d_name);
        int done = replay(name);
        if (done < 0) {
            fprintf(stderr, "cannot read %s\n", name);
            closedir(d);
            return -1;
        }
        count += done;
    }
    closedir(d);
    return count;
}

int main(int argc, char **argv) {
    int count = 0;
    for (int i = 1; i < argc; ++i) {
        int done = replay(argv[i]);
        if (done < 0) return 1;
        count += done;
    }
    printf("%d inputs\n", count);
    return count > 0 ? 0 : 1;
}
