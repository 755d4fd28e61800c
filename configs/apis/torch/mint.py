# mindspore.mint: where a function's parameters differ from its torch counterpart's. Everything else runs as the counterpart.

def MintFunctional_cross_entropy(input: Tensor, target: Tensor, weight: Optional[Tensor] = None, ignore_index: int = -100, reduction: str = "mean", label_smoothing: float = 0.0) -> Tensor:
  return torch.cross_entropy_loss(input, target, weight, _reduction(reduction), ignore_index, label_smoothing)

def MintFunctional_nll_loss(input: Tensor, target: Tensor, weight: Optional[Tensor] = None, ignore_index: int = -100, reduction: str = "mean") -> Tensor:
  return torch.nll_loss_nd(input, target, weight, _reduction(reduction), ignore_index)

def MintFunctional_binary_cross_entropy(input: Tensor, target: Tensor, weight: Optional[Tensor] = None, reduction: str = "mean") -> Tensor:
  return Functional_binary_cross_entropy(input, target, weight, None, None, reduction)

def MintFunctional_binary_cross_entropy_with_logits(input: Tensor, target: Tensor, weight: Optional[Tensor] = None, reduction: str = "mean", pos_weight: Optional[Tensor] = None) -> Tensor:
  return torch.binary_cross_entropy_with_logits(input, target, weight, pos_weight, _reduction(reduction))

def MintFunctional_soft_margin_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
  return torch.soft_margin_loss(input, target, _reduction(reduction))

def MintFunctional_l1_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
  return Functional_l1_loss(input, target, None, None, reduction)

def MintFunctional_mse_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
  return Functional_mse_loss(input, target, None, None, reduction)

def MintFunctional_smooth_l1_loss(input: Tensor, target: Tensor, reduction: str = "mean", beta: float = 1.0) -> Tensor:
  return Functional_smooth_l1_loss(input, target, None, None, reduction, beta)

def MintFunctional_kl_div(input: Tensor, target: Tensor, reduction: str = "mean", log_target: bool = False) -> Tensor:
  return Functional_kl_div(input, target, None, None, reduction, log_target)

def MintFunctional_cosine_embedding_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: str = "mean") -> Tensor:
  return torch.cosine_embedding_loss(input1, input2, target, margin, _reduction(reduction))

def MintFunctional_softmax(input: Tensor, dim: Optional[int] = None, dtype: Optional[int] = None) -> Tensor:
  return Functional_softmax(input, dim, 3, dtype)

def MintFunctional_log_softmax(input: Tensor, dim: Optional[int] = None, dtype: Optional[int] = None) -> Tensor:
  return Functional_log_softmax(input, dim, 3, dtype)

def Mint_cumsum(input: Tensor, dim: int, dtype: Optional[int] = None) -> Tensor:
  return torch.cumsum(input, dim, dtype=dtype)

def Mint_cumprod(input: Tensor, dim: int, dtype: Optional[int] = None) -> Tensor:
  return torch.cumprod(input, dim, dtype=dtype)

def Mint_prod(input: Tensor, dim: Optional[int] = None, keepdim: bool = False, dtype: Optional[int] = None) -> Tensor:
  if dim is None:
    return torch.prod(input, dtype=dtype)
  return torch.prod(input, dim, keepdim, dtype=dtype)

def Mint_all(input: Tensor, dim: Optional[int] = None, keepdim: bool = False) -> Tensor:
  return torch.all(input) if dim is None else torch.all(input, dim, keepdim)

def Mint_any(input: Tensor, dim: Optional[int] = None, keepdim: bool = False) -> Tensor:
  return torch.any(input) if dim is None else torch.any(input, dim, keepdim)

def Mint_median(input: Tensor, dim: Optional[int] = None, keepdim: bool = False) -> List[Tensor]:
  if dim is None:
    return [torch.median(input)]
  values, indices = torch.median(input, dim, keepdim)
  return [values, indices]

def Mint_eye(n: int, m: Optional[int] = None, dtype: Optional[int] = None) -> Tensor:
  columns = n
  if m is not None:
    columns = m
  return torch.eye(n, columns, dtype=dtype)

def Mint_arange(start: number = 0, end: Optional[number] = None, step: number = 1, dtype: Optional[int] = None) -> Tensor:
  if end is None:
    return torch.arange(0, start, step, dtype=dtype)
  return torch.arange(start, end, step, dtype=dtype)
