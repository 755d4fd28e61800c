# Pieces that several functions of the library use. docs/torch-adapter.md says how these files are read.

def _reduction(reduction: str) -> int:
  if reduction == "none":
    return 0
  if reduction == "mean":
    return 1
  if reduction == "sum" or reduction == "batchmean":
    return 2
  assert False, "'reduction' is none of none, mean, sum"
  return 0

def _reduction_of(reduction: str, size_average: Optional[bool], reduce: Optional[bool]) -> int:
  # The two switches that `reduction` replaced; each is true unless given.
  if size_average is None and reduce is None:
    return _reduction(reduction)
  average = True
  if size_average is not None:
    average = size_average
  whole = True
  if reduce is not None:
    whole = reduce
  if not whole:
    return 0
  return 1 if average else 2

def _reduced(loss: Tensor, reduction: int) -> Tensor:
  if reduction == 1:
    return loss.mean()
  if reduction == 2:
    return loss.sum()
  return loss

def _weighted(loss: Tensor, weight: Tensor, reduction: int) -> Tensor:
  weighted = loss * weight
  if reduction == 1:
    return torch.sum(weighted) / torch.sum(weight)
  return torch.sum(weighted) if reduction == 2 else weighted

def _softmax_dim(dim: Optional[int], ndim: int) -> int:
  if dim is not None:
    return dim
  return 0 if ndim == 0 or ndim == 1 or ndim == 3 else 1

def _stride(stride: Optional[List[int]]) -> List[int]:
  out: List[int] = []
  if stride is not None:
    out = stride
  return out

def _sizes_or(output_size: List[Optional[int]], input: Tensor) -> List[int]:
  # None stands for the input's own size.
  out: List[int] = []
  for i in range(len(output_size)):
    size = output_size[i]
    if size is None:
      out.append(input.size(input.dim() - len(output_size) + i))
    else:
      out.append(size)
  return out

def _unpooled_size(input: Tensor, kernel_size: List[int], stride: List[int], padding: List[int], output_size: Optional[List[int]]) -> List[int]:
  n = len(kernel_size)
  if output_size is not None:
    given: List[int] = output_size
    return given[2:] if len(given) == n + 2 else given
  out: List[int] = []
  for i in range(n):
    out.append((input.size(input.dim() - n + i) - 1) * stride[i] + kernel_size[i] - 2 * padding[i])
  return out

def _list_out(values: Tensor, indices: Tensor, both: bool) -> List[Tensor]:
  return [values, indices] if both else [values]
