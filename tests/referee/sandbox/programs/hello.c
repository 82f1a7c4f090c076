/* Answers one message over its socket in capitals, after some work with threads, timers, files and memory. */
#include <ctype.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static void *work(void *argument)
{
    char *memory = malloc(1 << 24);
    memset(memory, 1, 1 << 24);
    free(memory);
    return argument;
}

static void *answer(void *argument)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char text[100];

    strncpy(address.sun_path, getenv("BEANLEAGUE_SOCKET") + strlen("unix:"), sizeof address.sun_path - 1);
    int connection = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(connection, (struct sockaddr *)&address, sizeof address)) {
        perror("connect");
        exit(1);
    }
    struct pollfd waiting = {connection, POLLIN, 0};
    poll(&waiting, 1, -1);
    ssize_t length = read(connection, text, sizeof text);
    for (ssize_t i = 0; i < length; i++)
        text[i] = toupper((unsigned char)text[i]);
    if (write(connection, text, length) != length)
        exit(1);
    return argument;
}

int main(void)
{
    pthread_t thread;
    struct timespec shortly = {0, 10000000};

    if (pthread_create(&thread, NULL, work, NULL) || pthread_join(thread, NULL))
        return 1;
    fclose(fopen("hello.c", "r"));
    clock_nanosleep(CLOCK_MONOTONIC, 0, &shortly, NULL);
    return pthread_create(&thread, NULL, answer, NULL) || pthread_join(thread, NULL);
}
