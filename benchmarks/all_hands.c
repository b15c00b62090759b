/* All 2,598,960 hands of a deck in plain C: the floor beside which `make bench` puts the numpy tables.
   stdin: for each set of five ranks its key and value (int32 pairs, ended by -1 -1), then value by mask of ranks for
   five cards of one suit (8192 int32). stdout: fastest run in seconds, sum of all values. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define HANDS 2598960
/* No two sets of five ranks (four of one at most) have the same sum. */
static const int32_t KEY[13] = {0, 1, 5, 22, 98, 453, 2031, 8698, 22854, 83661, 262349, 636345, 1479181};
#define KEYS (4 * 1479181 + 636345 + 1)

static uint16_t plain[KEYS], suited[8192], out[HANDS];

static void run(void) {
    size_t n = 0;
    for (int a = 0; a < 48; a++)
        for (int b = a + 1; b < 49; b++)
            for (int c = b + 1; c < 50; c++)
                for (int d = c + 1; d < 51; d++) {
                    int32_t key = KEY[a >> 2] + KEY[b >> 2] + KEY[c >> 2] + KEY[d >> 2];
                    int mixed = ((a ^ b) | (a ^ c) | (a ^ d)) & 3;
                    int mask = 1 << (a >> 2) | 1 << (b >> 2) | 1 << (c >> 2) | 1 << (d >> 2);
                    for (int e = d + 1; e < 52; e++)
                        out[n++] = mixed | ((a ^ e) & 3) ? plain[key + KEY[e >> 2]] : suited[mask | 1 << (e >> 2)];
                }
}

int main(void) {
    int32_t pair[2], value;
    while (fread(pair, sizeof pair, 1, stdin) == 1 && pair[0] >= 0) {
        int32_t key = 0;
        for (int rank = 0, digits = pair[0]; rank < 13; rank++, digits /= 5) key += digits % 5 * KEY[rank];
        if (plain[key]) return 1; /* two sets of ranks under one key */
        plain[key] = (uint16_t)pair[1];
    }
    for (int mask = 0; mask < 8192; mask++) {
        if (fread(&value, sizeof value, 1, stdin) != 1) return 1;
        suited[mask] = (uint16_t)value;
    }
    double best = 1e9;
    for (int round = 0; round < 30; round++) {
        struct timespec start, end;
        clock_gettime(CLOCK_MONOTONIC, &start);
        run();
        clock_gettime(CLOCK_MONOTONIC, &end);
        double spent = (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
        if (spent < best) best = spent;
    }
    uint64_t sum = 0;
    for (size_t n = 0; n < HANDS; n++) sum += out[n];
    printf("%.9f %llu\n", best, (unsigned long long)sum);
    return 0;
}
