"""The peer's formulas on a float32 pair, one NumPy expression after another, as a checker in Python computes them.

usage: metrics_numpy.py MIB

Prints the best of three times in seconds. Covers the three metrics of the mint checker and those of the PyTorch checker.
"""

import sys
import time

import numpy as np

SMALL_VALUE = 2.0**-20
ATOL = 2.0**-30
RTOL = 2.0**-20
EPSILON = np.finfo(np.float32).eps


def mint_metrics(expected, actual):
    b = expected.astype(np.float64)
    t = actual.astype(np.float64)
    tiny = 1e-8
    difference = np.abs(b - t)
    cosine = (tiny + np.sum(b * t)) / (tiny + np.linalg.norm(b) * np.linalg.norm(t))
    relative = difference / (np.abs(b) + (b == 0) * tiny)
    return cosine, np.max(difference), np.max(relative)


def ratios(relative):
    return [np.mean(relative < limit) for limit in (0.01, 0.001, 0.0001)]


def scaled_cosine(expected, actual):
    b = expected / np.max(np.abs(expected))
    d = actual / np.max(np.abs(actual))
    return np.clip(np.sum(b * d) / (np.linalg.norm(b) * np.linalg.norm(d)), -1.0, 1.0)


def standard_metrics(expected, actual, absolute, relative):
    finite = np.isfinite(expected) & np.isfinite(actual)
    small = finite & (np.abs(expected) <= SMALL_VALUE)
    normal = finite & ~small
    n = expected.size
    masked = ~finite | small
    wrong_small = np.sum(small & (absolute > ATOL))
    mean_square = np.mean(np.square(np.where(masked, 0, absolute)))
    rmse = np.sqrt(mean_square * (n / (n - np.sum(masked) + 0.0001) + 0.0001))
    difference = actual - expected
    balance = np.abs(np.sum(difference > 0) - np.sum(difference < 0)) / n
    normal_relative = relative[normal]
    return (
        wrong_small / max(np.sum(small), 1),
        rmse,
        balance,
        np.max(normal_relative, initial=0),
        np.mean(normal_relative),
        np.sum(normal & (relative > RTOL)) / max(np.sum(normal), 1),
        np.sum(~finite) / n,
    )


def ulp_metrics(expected, actual):
    b = expected.astype(np.float64)
    with np.errstate(divide="ignore"):
        exponent = np.where(b == 0, 0, np.floor(np.log2(np.abs(b))))
    exponent = np.maximum(exponent, -126)
    ulp = np.abs(actual.astype(np.float64) - b) * np.exp2(23 - exponent)
    return np.max(ulp), np.mean(ulp), np.mean(ulp > 32)


def all_metrics(expected, actual):
    absolute = np.abs(actual - expected)
    relative = absolute / (np.abs(expected) + EPSILON)
    return (
        mint_metrics(expected, actual),
        scaled_cosine(expected, actual),
        np.max(absolute),
        ratios(relative),
        np.mean(expected != actual),
        standard_metrics(expected, actual, absolute, relative),
        ulp_metrics(expected, actual),
    )


def main():
    count = int(sys.argv[1]) * 2**20 // 4
    random = np.random.default_rng(1)
    expected = random.standard_normal(count, dtype=np.float32)
    noise = random.standard_normal(count, dtype=np.float32)
    actual = expected + EPSILON * (np.float32(0.5) + expected) * noise
    times = []
    for _ in range(3):
        start = time.perf_counter()
        all_metrics(expected, actual)
        times.append(time.perf_counter() - start)
    print(f"{min(times):.6f}")


if __name__ == "__main__":
    main()
