# torch: functions that PyTorch writes in Python over its operators. Tensor methods of the same name share them by the API table.

# Norms

def Torch_norm(input: Tensor, p: Optional[number] = None, dim: Optional[List[int]] = None, keepdim: bool = False, dtype: Optional[int] = None) -> Tensor:
  order: number = 2.0
  if p is not None:
    order = p
  return torch.linalg_vector_norm(input, order, dim, keepdim, dtype=dtype)

def Torch_norm(input: Tensor, p: Optional[number] = None, dim: int = 0, keepdim: bool = False, dtype: Optional[int] = None) -> Tensor:
  order: number = 2.0
  if p is not None:
    order = p
  return torch.linalg_vector_norm(input, order, [dim], keepdim, dtype=dtype)

def Torch_norm(input: Tensor, p: str = "fro", dim: Optional[List[int]] = None, keepdim: bool = False, dtype: Optional[int] = None) -> Tensor:
  if p == "fro" and (dim is None or len(dim) <= 2):
    return torch.linalg_vector_norm(input, 2, dim, keepdim, dtype=dtype)
  dims: List[int] = [i for i in range(input.dim())]
  if dim is not None:
    dims = dim
  return torch.linalg_matrix_norm(input, p, dims, keepdim, dtype=dtype)

def Torch_norm(input: Tensor, p: str = "fro", dim: int = 0, keepdim: bool = False, dtype: Optional[int] = None) -> Tensor:
  return torch.linalg_vector_norm(input, 2, [dim], keepdim, dtype=dtype)

def Torch_norm(input: Tensor) -> Tensor:
  return torch.linalg_vector_norm(input, 2, None, False)

def Torch_cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: str = "use_mm_for_euclid_dist_if_necessary") -> Tensor:
  if compute_mode == "use_mm_for_euclid_dist":
    return torch.cdist(x1, x2, p, 1)
  if compute_mode == "donot_use_mm_for_euclid_dist":
    return torch.cdist(x1, x2, p, 2)
  return torch.cdist(x1, x2, p, None)

# Products

def Torch_tensordot(a: Tensor, b: Tensor, dims: int = 2) -> Tensor:
  return torch.tensordot(a, b, [i for i in range(-dims, 0)], [i for i in range(dims)])

def Torch_tensordot(a: Tensor, b: Tensor, dims: List[List[int]]) -> Tensor:
  return torch.tensordot(a, b, dims[0], dims[1])

def Torch_tensordot(a: Tensor, b: Tensor, dims: List[int]) -> Tensor:
  return torch.tensordot(a, b, [dims[0]], [dims[1]])

def Torch_tensordot(a: Tensor, b: Tensor, dims: Tensor) -> Tensor:
  if dims.numel() == 1:
    n = int(dims)
    return torch.tensordot(a, b, [i for i in range(-n, 0)], [i for i in range(n)])
  first: List[int] = [int(d) for d in dims[0].reshape([-1]).unbind(0)]
  second: List[int] = [int(d) for d in dims[1].reshape([-1]).unbind(0)]
  return torch.tensordot(a, b, first, second)

# Sets of values

def _unique_parts(values: Tensor, inverse: Tensor, counts: Tensor, return_inverse: bool, return_counts: bool) -> List[Tensor]:
  out: List[Tensor] = [values]
  if return_inverse:
    out.append(inverse)
  if return_counts:
    out.append(counts)
  return out

def Torch_unique(input: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim: Optional[int] = None) -> List[Tensor]:
  if dim is None:
    values, inverse, counts = torch._unique2(input, sorted, return_inverse, return_counts)
  else:
    values, inverse, counts = torch.unique_dim(input, dim, sorted, return_inverse, return_counts)
  return _unique_parts(values, inverse, counts, return_inverse, return_counts)

def Torch_unique_consecutive(input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: Optional[int] = None) -> List[Tensor]:
  values, inverse, counts = torch.unique_consecutive(input, return_inverse, return_counts, dim)
  return _unique_parts(values, inverse, counts, return_inverse, return_counts)

def Torch_nonzero(input: Tensor, as_tuple: bool = False) -> List[Tensor]:
  return torch.nonzero_numpy(input) if as_tuple else [torch.nonzero(input)]

def Torch_unravel_index(indices: Tensor, shape: List[int]) -> List[Tensor]:
  out: List[Tensor] = []
  step = 1
  for i in range(len(shape)):
    size = shape[len(shape) - 1 - i]
    out.append(torch.remainder(torch.floor_divide(indices, step), size))
    step = step * size
  out.reverse()
  return out

def Torch_unravel_index(indices: Tensor, shape: int) -> List[Tensor]:
  return [torch.remainder(indices, shape)]

# Signals

def Torch_stft(input: Tensor, n_fft: int, hop_length: Optional[int] = None, win_length: Optional[int] = None, window: Optional[Tensor] = None, center: bool = True, pad_mode: str = "reflect", normalized: bool = False, onesided: Optional[bool] = None, return_complex: Optional[bool] = None) -> Tensor:
  return torch.stft(input, n_fft, hop_length, win_length, window, center, pad_mode, normalized, onesided, return_complex)

# Decompositions

def Torch_qr(input: Tensor, some: bool = True) -> Tuple[Tensor, Tensor]:
  return torch.linalg_qr(input, "reduced" if some else "complete")

def Torch_lu(A: Tensor, pivot: bool = True, get_infos: bool = False) -> List[Tensor]:
  lu, pivots, infos = torch._lu_with_info(A, pivot, not get_infos)
  return [lu, pivots, infos] if get_infos else [lu, pivots]

def Torch_cholesky(input: Tensor, upper: bool = False) -> Tensor:
  return torch.linalg_cholesky(input, upper=upper)

def Torch_matrix_rank(input: Tensor, tol: Optional[float] = None, symmetric: bool = False) -> Tensor:
  if tol is None:
    return torch.linalg_matrix_rank(input, atol=None, rtol=None, hermitian=symmetric)
  return torch.linalg_matrix_rank(input, tol, symmetric)

# Python objects

def Torch_is_tensor(obj: Tensor) -> bool:
  return True

def Torch_typename(obj: Tensor) -> str:
  return "torch.Tensor"

def _squeeze_dims(input: Tensor, dim: List[int]) -> Tensor:
  # For a LibTorch without squeeze.dims.
  out = input
  n = input.dim()
  for i in range(n):
    d = n - 1 - i
    if d in dim or d - n in dim:
      out = out.squeeze(d)
  return out

# For a LibTorch whose variance takes whole corrections only: the uncorrected one, rescaled.

def _corrected_var(input: Tensor, dim: Optional[List[int]] = None, correction: float = 1.0, keepdim: bool = False) -> Tensor:
  dims: List[int] = [i for i in range(input.dim())]
  if dim is not None:
    dims = dim
  n = 1
  for d in dims:
    n = n * input.size(d)
  return torch.var(input, dims, False, keepdim) * (float(n) / (float(n) - correction))

def _corrected_std(input: Tensor, dim: Optional[List[int]] = None, correction: float = 1.0, keepdim: bool = False) -> Tensor:
  return _corrected_var(input, dim, correction, keepdim).sqrt()

def _means(input: Tensor, dim: Optional[List[int]], keepdim: bool) -> Tensor:
  dims: List[int] = [i for i in range(input.dim())]
  if dim is not None:
    dims = dim
  return torch.mean(input, dims, keepdim)

def _corrected_var_mean(input: Tensor, dim: Optional[List[int]] = None, correction: float = 1.0, keepdim: bool = False) -> Tuple[Tensor, Tensor]:
  return _corrected_var(input, dim, correction, keepdim), _means(input, dim, keepdim)

def _corrected_std_mean(input: Tensor, dim: Optional[List[int]] = None, correction: float = 1.0, keepdim: bool = False) -> Tuple[Tensor, Tensor]:
  return _corrected_std(input, dim, correction, keepdim), _means(input, dim, keepdim)

# For a LibTorch whose all and any take one dimension only.

def _all_dims(input: Tensor, dim: List[int], keepdim: bool = False) -> Tensor:
  out = input
  for d in dim:
    out = torch.all(out, d, True)
  return out if keepdim else _squeeze_dims(out, dim)

def _any_dims(input: Tensor, dim: List[int], keepdim: bool = False) -> Tensor:
  out = input
  for d in dim:
    out = torch.any(out, d, True)
  return out if keepdim else _squeeze_dims(out, dim)
