"""Writes pairs.json: pairs of small tensors of every dtype, and every metric of them computed with NumPy, in long double.

usage: make_pairs.py > pairs.json      (any Python with NumPy)

The formulas are those of docs/metrics.md, written down here once more without a look at the engine.
"""

import json
import math
import sys

import numpy as np

LONG = np.longdouble
SIZES = (1, 19, 130)


class Float:
    """A binary floating-point format of `bits` bits with `fraction` fraction bits; bits are read from unsigned integers."""

    def __init__(self, name, bits, fraction, has_inf=True):
        self.name, self.bits, self.fraction, self.has_inf = name, bits, fraction, has_inf
        self.raw = np.dtype(f"u{bits // 8}")
        self.exponent_bits = bits - 1 - fraction
        self.bias = 2 ** (self.exponent_bits - 1) - 1
        self.precision = fraction + 1
        self.epsilon = 2.0**-fraction
        self.smallest = 2.0 ** (1 - self.bias)
        top = 2**self.exponent_bits - 1
        self.largest_rank = (top << fraction) - 1 if has_inf else (top << fraction) + 2**fraction - 2
        self.largest = self.value(self.largest_rank)

    def value(self, word):
        sign = -1.0 if word >> (self.bits - 1) else 1.0
        rank = word & (2 ** (self.bits - 1) - 1)
        if rank > self.largest_rank:
            return sign * math.inf if self.has_inf and rank == self.largest_rank + 1 else math.nan
        exponent, fraction = rank >> self.fraction, rank & (2**self.fraction - 1)
        if exponent == 0:
            return sign * math.ldexp(fraction, 1 - self.bias - self.fraction)
        return sign * math.ldexp(fraction + 2**self.fraction, exponent - self.bias - self.fraction)

    def word_of(self, number):
        """The nearest word, ties to the lower rank; good enough to make data."""
        sign = (1 << (self.bits - 1)) if math.copysign(1, number) < 0 else 0
        low, high = 0, self.largest_rank
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self.value(middle) <= abs(number) else (low, middle - 1)
        up = min(low + 1, self.largest_rank)
        nearest = up if abs(self.value(up) - abs(number)) < abs(self.value(low) - abs(number)) else low
        return sign | nearest

    def order(self, word):
        rank = word & (2 ** (self.bits - 1) - 1)
        return -rank if word >> (self.bits - 1) else rank


FLOATS = [
    Float("float64", 64, 52),
    Float("float32", 32, 23),
    Float("float16", 16, 10),
    Float("bfloat16", 16, 7),
    Float("float8_e4m3fn", 8, 3, has_inf=False),
    Float("float8_e5m2", 8, 2),
]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool"]


def count(condition):
    return int(np.sum(condition))


def bin_of_ulp(ulp):
    return 0 if ulp == 0 else min(1 + (int(ulp) - 1).bit_length(), 63)


def bin_of_error(relative):
    if relative == 0:
        return 0
    if math.isinf(relative):
        return 63
    return min(max(math.frexp(float(relative))[1] - 1 + 62, 1), 63)


def class_of(parts):
    """Of one number as its parts: "finite", "nan", "+" or "-"."""
    if any(math.isnan(part) for part in parts):
        return "nan"
    for part in parts:
        if math.isinf(part):
            return "+" if part > 0 else "-"
    return "finite"


def own_metrics(actual, expected, ulps, precision, atol):
    """actual, expected: long double arrays of shape (n, parts)."""
    n = len(actual)
    actual_class = [class_of(row) for row in actual]
    expected_class = [class_of(row) for row in expected]
    parts_agree = [
        all(class_of([a]) == class_of([e]) for a, e in zip(a_row, e_row)) for a_row, e_row in zip(actual, expected)
    ]
    finite = np.array([a == e == "finite" for a, e in zip(actual_class, expected_class)])
    differs = np.array(
        [any(not (a == e or (np.isnan(a) and np.isnan(e))) for a, e in zip(x, y)) for x, y in zip(actual, expected)]
    )
    wrong_class = ~np.array(parts_agree)
    out = {"numel": n, "mismatch_count": count(differs), "class_mismatch_count": count(wrong_class)}
    out["mismatch_first"] = int(np.argmax(differs)) if differs.any() else -1
    out["class_mismatch_first"] = int(np.argmax(wrong_class)) if wrong_class.any() else -1
    for side, classes in (("actual", actual_class), ("expected", expected_class)):
        out[f"nan_{side}"] = classes.count("nan")
        out[f"pos_inf_{side}"] = classes.count("+")
        out[f"neg_inf_{side}"] = classes.count("-")
    out["zero_count_actual"] = count([all(part == 0 for part in row) for row in actual])

    a, e = actual[finite], expected[finite]
    d = np.sqrt(np.sum((a - e) ** 2, axis=1)) if a.shape[1] > 1 else np.abs(a - e)[:, 0]
    size = np.sqrt(np.sum(e**2, axis=1)) if a.shape[1] > 1 else np.abs(e)[:, 0]
    square = np.sum(e**2)
    rms = np.sqrt(square / len(e)) if len(e) else LONG(0)
    a_norm, e_norm = np.sqrt(np.sum(a**2)), np.sqrt(square)
    if wrong_class.any():
        out["cosine"] = math.nan
    elif a_norm == 0 or e_norm == 0:
        out["cosine"] = 1 if a_norm == e_norm else 0
    else:
        out["cosine"] = np.clip(np.sum(a * e) / (a_norm * e_norm), -1, 1)
    with np.errstate(all="ignore"):
        relative = np.where(d == 0, 0, d / size).astype(np.float64).astype(LONG)
        tolerances = np.where(d <= atol, 0, (d - atol) / size)
        scaled = d / np.maximum(size, rms)
    has_value = len(d) > 0
    bits = [min(max(-math.log2(r) if 0 < r < math.inf else (precision if r == 0 else 0), 0), precision) for r in relative]
    limited = relative[np.isfinite(relative)]
    out["max_abs_error"] = np.max(d) if has_value else None
    out["mean_abs_error"] = np.mean(d) if has_value else None
    out["max_rel_error"] = np.max(relative) if has_value else None
    out["mean_rel_error"] = np.mean(limited) if len(limited) else None
    out["rel_l2_error"] = None if not has_value else (0 if not d.any() else np.sqrt(np.sum(d**2)) / e_norm if e_norm else math.inf)
    out["max_abs_expected"] = np.max(size) if has_value else None
    out["rms_expected"] = rms if has_value else None
    out["max_scaled_error"] = None if not has_value else (np.max(scaled) if rms else (math.inf if d.any() else 0))
    out["rtol_to_pass"] = np.max(tolerances) if has_value else None
    out["significant_bits_worst"] = min(bits) if has_value else None
    out["significant_bits_median"] = sorted(bits, reverse=True)[(len(bits) + 1) // 2 - 1] if has_value else None
    ulps = [ulp for ulp, good in zip(ulps, finite) if good]
    out["max_ulp"] = max(ulps) if has_value else None
    out["mean_ulp"] = LONG(sum(ulps)) / len(ulps) if has_value else None
    out["ulp_histogram"] = np.bincount([bin_of_ulp(ulp) for ulp in ulps], minlength=64).tolist() if has_value else [0] * 64
    out["error_histogram"] = np.bincount([bin_of_error(r) for r in relative], minlength=64).tolist() if has_value else [0] * 64
    return out


def mint_metrics(actual, expected):
    b, t = expected[:, 0], actual[:, 0]
    tiny = LONG(1e-8)
    with np.errstate(all="ignore"):
        d = np.abs(b - t)
        return {
            "msprobe_mint_cosine": (tiny + np.sum(b * t)) / (tiny + np.sqrt(np.sum(b * b)) * np.sqrt(np.sum(t * t))),
            "msprobe_mint_max_abs_error": np.max(d),
            "msprobe_mint_max_rel_error": np.max(d / (np.abs(b) + np.where(b == 0, tiny, 0))),
        }


def float8_distance(h, x):
    """Of two float64; whatever IEEE arithmetic makes of numbers that are not finite."""
    log = np.maximum(np.log2(np.abs(x) + 2.0**-1000), -22.0)
    exponent = np.floor(log)
    width = next((w for limit, w in ((3, 3), (7, 2), (15, 1)) if np.abs(exponent) <= limit), 0)
    if width:
        return (h - x) * 2.0 ** (width - exponent)
    return np.sign(h) * np.log2(np.abs(h) + 2.0**-1000) - np.sign(x) * log


def torch_metrics(fmt, actual, expected):
    half, brain = fmt.name == "float16", fmt.name == "bfloat16"
    real = np.float64 if fmt.name == "float64" else np.float32
    small_value = 2.0**-10 if half or brain else 2.0**-20
    benchmark_atol = 1e-16 if half or brain else 2.0**-30
    threshold_atol = 2.0**-16 if half else (1e-16 if brain else 2.0**-30)
    rtol = 2.0**-10 if half else (2.0**-8 if brain else 2.0**-20)
    epsilon = 2.0**-8 if brain else fmt.epsilon
    b, t = expected[:, 0].astype(real), actual[:, 0].astype(real)
    n = len(b)
    with np.errstate(all="ignore"):
        d = np.abs(t - b)
        relative = d / (np.abs(b) + real(epsilon))
        special = ~(np.isfinite(b) & np.isfinite(t))
        small = ~special & (np.abs(b) <= real(small_value))
        normal = ~special & ~small
        out = {f"msprobe_{name}_ratio": np.sum(relative < real(limit)) / LONG(n) for name, limit in
               (("hundredth", 0.01), ("thousandth", 0.001), ("ten_thousandth", 0.0001))}
        out["msprobe_error_balance"] = abs(count(t > b) - count(t < b)) / LONG(n)
        mean_square = np.sum(np.where(normal, d, 0).astype(LONG) ** 2) / n
        masked = n - count(normal)
        out["msprobe_rmse"] = np.sqrt(mean_square * (n / (LONG(n) - masked + LONG(0.0001)) + LONG(0.0001)))
        of = lambda part, whole: count(part) / LONG(count(whole)) if whole.any() else 0
        out["msprobe_small_value_error_ratio"] = of(small & (d > real(benchmark_atol)), small)
        out["msprobe_absolute_error_ratio"] = of(small & (d > real(threshold_atol)), small)
        out["msprobe_relative_error_ratio"] = of(normal & (relative > real(rtol)), normal)
        out["msprobe_max_rel_error"] = np.max(relative[normal]) if normal.any() else 0
        out["msprobe_mean_rel_error"] = np.mean(relative[normal].astype(LONG)) if normal.any() else 0
        clipped = np.abs(np.clip(t, -fmt.largest, fmt.largest) - np.clip(b, -fmt.largest, fmt.largest))
        if half:
            clipped = np.where(clipped > fmt.largest, np.inf, clipped)
        fine = (clipped / (np.abs(b) + epsilon) <= rtol) | (np.isnan(t) & np.isnan(b))
        out["msprobe_inf_nan_error_ratio"] = of(special & ~fine, special)
        out["msprobe_max_abs_error"] = np.max(np.abs(actual[:, 0] - expected[:, 0]))
    vanishes = [np.max(np.abs(side), initial=0) <= 2.220446049250313e-16 for side in (t, b)]
    if special.any():
        out["msprobe_cosine"] = math.nan
    elif n == 1 or all(vanishes):
        out["msprobe_cosine"] = None
    elif any(vanishes):
        out["msprobe_cosine"] = 0
    else:
        a, e = actual[:, 0], expected[:, 0]
        out["msprobe_cosine"] = np.clip(np.sum(a * e) / (np.sqrt(np.sum(a * a)) * np.sqrt(np.sum(e * e))), -1, 1)

    names = ("msprobe_ulp_max", "msprobe_ulp_mean", "msprobe_ulp_share")
    if fmt.name == "float64":
        return {**out, **dict.fromkeys(names)}
    distances = []
    for h, x in zip(t.astype(np.float64), b.astype(np.float64)):
        if fmt.bits == 8:
            with np.errstate(all="ignore"):
                distances.append(float8_distance(h, x))
        elif not math.isfinite(x):
            distances.append(math.nan)
        else:
            exponent = 0 if x == 0 else max(math.frexp(x)[1] - 1, 1 - fmt.bias)
            distances.append(abs(h - x) * 2.0 ** (fmt.fraction - exponent))
    distances = np.array(distances, dtype=LONG)
    limit = 32 if fmt.name == "float32" else 1
    with np.errstate(all="ignore"):
        values = (np.max(distances), np.mean(distances), np.sum(distances > limit) / LONG(n))
    return {**out, **dict(zip(names, values))}


def error_rate(actual, expected):
    equal = np.all(actual == expected, axis=1)
    return {"msprobe_error_rate": count(~equal) / LONG(len(equal))}


def float_words(fmt, random, n, kind):
    """Bits of a pair: numbers with noise, or with every special number among them."""
    expected = [fmt.word_of(number) for number in random.standard_normal(n)]
    steps = random.integers(-3, 4, n)
    actual = [word + int(step) if word & (2 ** (fmt.bits - 1) - 1) > 3 else word for word, step in zip(expected, steps)]
    if kind == "special":
        sign = 1 << (fmt.bits - 1)
        nan = sign - 1
        inf = fmt.largest_rank + 1 if fmt.has_inf else fmt.largest_rank
        # Sums of the largest float64 numbers, and of quotients by the smallest, have no float64.
        large = fmt.word_of(2.0**400) if fmt.bits == 64 else fmt.largest_rank
        subnormal = [] if fmt.bits == 64 else [2**fmt.fraction, 2**fmt.fraction - 1]
        tiny = fmt.word_of(2.0**-400) if fmt.bits == 64 else 1
        specials = [0, sign, tiny, sign | tiny, *subnormal, large, nan, inf, sign | inf]
        for side in (actual, expected):
            for at in range(n):
                if random.random() < 0.3:
                    side[at] = specials[random.integers(len(specials))]
        for at in range(0, n, 5):
            actual[at] = expected[at]
    return actual, expected


def float_case(fmt, random, n, kind, is_complex):
    parts = 2 if is_complex else 1
    actual, expected = float_words(fmt, random, n * parts, kind)
    numbers = [np.array([fmt.value(word) for word in side], dtype=LONG).reshape(n, parts) for side in (actual, expected)]
    ulps = [abs(fmt.order(a) - fmt.order(e)) for a, e in zip(actual, expected)]
    ulps = [max(ulps[i * parts : (i + 1) * parts]) for i in range(n)]
    metrics = own_metrics(*numbers, ulps, fmt.precision, LONG(fmt.smallest))
    if not is_complex:
        metrics.update(mint_metrics(*numbers))
        metrics.update(torch_metrics(fmt, *numbers))
    metrics.update(error_rate(*numbers))
    names = {"float32": "complex64", "float64": "complex128"}
    words = [np.array(side, dtype=fmt.raw).tobytes().hex() for side in (actual, expected)]
    return {"dtype": names[fmt.name] if is_complex else fmt.name, "actual": words[0], "expected": words[1], "metrics": metrics}


def integer_case(name, random, n, kind):
    raw = np.dtype(np.uint8 if name == "bool" else name)
    limits = np.iinfo(raw) if name != "bool" else None
    low, high = (0, 1) if name == "bool" else ((limits.min, limits.max) if kind == "special" else (0, 100))
    expected = random.integers(low, high, n, dtype=raw, endpoint=True)
    actual = expected.copy()
    for at in range(0, n, 3):
        actual[at] = random.integers(low, high, dtype=raw, endpoint=True)
    exact = [[int(number) for number in side] for side in (actual, expected)]
    numbers = [np.array(side, dtype=LONG).reshape(n, 1) for side in exact]
    distances = [abs(a - e) for a, e in zip(*exact)]
    value_bits = 1 if name == "bool" else limits.bits - (1 if limits.min < 0 else 0)
    metrics = {**own_metrics(*numbers, distances, value_bits, LONG(0)), **mint_metrics(*numbers), **error_rate(*numbers)}
    return {"dtype": name, "actual": actual.tobytes().hex(), "expected": expected.tobytes().hex(), "metrics": metrics}


def as_json(value):
    if isinstance(value, dict):
        return {key: as_json(item) for key, item in value.items()}
    if isinstance(value, (list, str)) or value is None:
        return value
    return float(value)


def main():
    random = np.random.default_rng(2026)
    cases = []
    for kind in ("plain", "special"):
        for n in SIZES:
            cases += [float_case(fmt, random, n, kind, False) for fmt in FLOATS]
            cases += [float_case(fmt, random, n, kind, True) for fmt in FLOATS[:2]]
            cases += [integer_case(name, random, n, kind) for name in INTEGERS]
    sys.stdout.write("[\n" + ",\n".join(json.dumps(as_json(case)) for case in cases) + "\n]\n")


if __name__ == "__main__":
    main()
