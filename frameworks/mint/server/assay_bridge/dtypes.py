"""Element types as the protocol names them: DLPack's code, bits and lanes."""

INT, UINT, FLOAT, BFLOAT, COMPLEX, BOOL, FLOAT8_E4M3FN, FLOAT8_E5M2 = 0, 1, 2, 4, 5, 6, 10, 12
_DIFFERENTIABLE = (FLOAT, BFLOAT, FLOAT8_E4M3FN, FLOAT8_E5M2, COMPLEX)


class Dtype:
    """One object a type: compared by identity."""

    __slots__ = ("bits", "code", "is_complex", "is_differentiable", "name", "size")

    def __init__(self, code: int, bits: int, name: str) -> None:
        self.code = code
        self.bits = bits
        self.name = name
        self.size = bits // 8
        self.is_complex = code == COMPLEX
        self.is_differentiable = code in _DIFFERENTIABLE  # floating-point or complex


ALL = (
    Dtype(BOOL, 8, "bool"),
    Dtype(INT, 8, "int8"),
    Dtype(INT, 16, "int16"),
    Dtype(INT, 32, "int32"),
    Dtype(INT, 64, "int64"),
    Dtype(UINT, 8, "uint8"),
    Dtype(UINT, 16, "uint16"),
    Dtype(UINT, 32, "uint32"),
    Dtype(UINT, 64, "uint64"),
    Dtype(FLOAT, 16, "float16"),
    Dtype(BFLOAT, 16, "bfloat16"),
    Dtype(FLOAT, 32, "float32"),
    Dtype(FLOAT, 64, "float64"),
    Dtype(FLOAT8_E4M3FN, 8, "float8_e4m3fn"),
    Dtype(FLOAT8_E5M2, 8, "float8_e5m2"),
    Dtype(COMPLEX, 32, "complex32"),
    Dtype(COMPLEX, 64, "complex64"),
    Dtype(COMPLEX, 128, "complex128"),
)

BY_NAME: dict[str, Dtype] = {dtype.name: dtype for dtype in ALL}
BY_CODE: dict[tuple[int, int], Dtype] = {(dtype.code, dtype.bits): dtype for dtype in ALL}
