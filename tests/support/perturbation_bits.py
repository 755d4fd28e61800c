"""Prints perturbation_bits.hpp: what PyTorch gives for the peer's rules. Usage: python perturbation_bits.py > perturbation_bits.hpp"""
import torch

INT = {torch.float16: torch.int16, torch.bfloat16: torch.int16, torch.float32: torch.int32, torch.float64: torch.int64}
NOISE = {torch.bfloat16: 1e-4, torch.float16: 1e-6, torch.float32: 1e-8, torch.float64: 1e-16}
DIGITS = {torch.float16: 4, torch.bfloat16: 4, torch.float32: 8, torch.float64: 16}


def values(dtype):
    info = torch.finfo(dtype)
    limit = NOISE[dtype] ** 0.5
    numbers = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 3.14159, -0.3, 1e-3, 2e-3, -2e-3, 3.9e-3, 0.02, -0.02, 0.05, 1e-5, 0.2, -0.2, 5e-8, 2e-4,
               limit, -limit, info.tiny, -info.tiny, info.max, -info.max, float("inf"), float("-inf"), float("nan")]
    x = torch.tensor(numbers, dtype=torch.float64).to(dtype)
    bits = x.view(INT[dtype])
    # Neighbours of the limits and a subnormal, which rounding a decimal would miss.
    near = torch.stack([bits[20] + 1, bits[20] - 1, bits[22] + 1, bits[22] - 1, bits[22] * 0 + 3])
    return torch.cat([bits, near]).view(dtype)


def add_noise(x):
    noise = torch.full(x.shape, NOISE[x.dtype], dtype=x.dtype)
    return torch.where(torch.abs(x) > NOISE[x.dtype] ** 0.5, torch.add(noise, x), x).to(x.dtype)


def bit_noise(x):
    bits = x.view(INT[x.dtype])
    flipped = torch.bitwise_xor(bits, torch.ones_like(bits)).view(x.dtype)
    return torch.where(torch.abs(x) > torch.finfo(x.dtype).tiny, flipped, x)


def table(x):
    digits = DIGITS[x.dtype]
    return "{" + ", ".join(f"0x{b & (16 ** digits - 1):0{digits}x}" for b in x.view(INT[x.dtype]).tolist()) + "}"


def main():
    print("// Bits that PyTorch computes for the peer's perturbations; made by perturbation_bits.py.")
    print("#pragma once\n\n#include <cstdint>\n#include <vector>\n\n#include \"assay/sdk/dtype.hpp\"\n\nnamespace assay::testing {\n")
    print("struct PerturbationBits {\n  assay_dtype dtype;\n  std::vector<std::uint64_t> input, add_noise, bit_noise;")
    print("  assay_dtype wide_dtype;\n  std::vector<std::uint64_t> widened;\n};\n")
    print("inline const std::vector<PerturbationBits> kPerturbationBits = {")
    for dtype, name, wide in ((torch.bfloat16, "kBFloat16", torch.float32), (torch.float16, "kFloat16", torch.float32),
                              (torch.float32, "kFloat32", torch.float64), (torch.float64, "kFloat64", torch.float64)):
        x = values(dtype)
        wide_name = "kFloat32" if wide == torch.float32 else "kFloat64"
        print(f"{{{name}, {table(x)}, {table(add_noise(x))}, {table(bit_noise(x))}, {wide_name}, {table(x.to(wide))}}},")
    print("};\n\n}  // namespace assay::testing")


main()
