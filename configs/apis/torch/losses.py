# torch.nn.functional: the losses. Their reductions have names in Python and numbers in the operators.

def Functional_l1_loss(input: Tensor, target: Tensor, size_average: Optional[bool] = None, reduce: Optional[bool] = None, reduction: str = "mean", weight: Optional[Tensor] = None) -> Tensor:
  a, b = torch.broadcast_tensors([input, target])
  kind = _reduction_of(reduction, size_average, reduce)
  if weight is not None:
    return _weighted(torch.abs(a - b), weight, kind)
  return torch.l1_loss(a, b, kind)

def Functional_mse_loss(input: Tensor, target: Tensor, size_average: Optional[bool] = None, reduce: Optional[bool] = None, reduction: str = "mean", weight: Optional[Tensor] = None) -> Tensor:
  a, b = torch.broadcast_tensors([input, target])
  kind = _reduction_of(reduction, size_average, reduce)
  if weight is not None:
    return _weighted(torch.pow(a - b, 2), weight, kind)
  return torch.mse_loss(a, b, kind)

def Functional_smooth_l1_loss(input: Tensor, target: Tensor, size_average: Optional[bool] = None, reduce: Optional[bool] = None, reduction: str = "mean", beta: float = 1.0) -> Tensor:
  a, b = torch.broadcast_tensors([input, target])
  kind = _reduction_of(reduction, size_average, reduce)
  return torch.l1_loss(a, b, kind) if beta == 0.0 else torch.smooth_l1_loss(a, b, kind, beta)

def Functional_huber_loss(input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Optional[Tensor] = None) -> Tensor:
  a, b = torch.broadcast_tensors([input, target])
  kind = _reduction(reduction)
  if weight is None:
    return torch.huber_loss(a, b, kind, delta)
  return _reduced(torch.huber_loss(a, b, 0, delta) * weight, kind)

def Functional_cross_entropy(input: Tensor, target: Tensor, weight: Optional[Tensor] = None, size_average: Optional[bool] = None, ignore_index: int = -100, reduce: Optional[bool] = None, reduction: str = "mean", label_smoothing: float = 0.0) -> Tensor:
  return torch.cross_entropy_loss(input, target, weight, _reduction_of(reduction, size_average, reduce), ignore_index, label_smoothing)

def Functional_linear_cross_entropy(input: Tensor, linear_weight: Tensor, target: Tensor, linear_bias: Optional[Tensor] = None, weight: Optional[Tensor] = None, reduction: str = "mean", ignore_index: Optional[int] = None, label_smoothing: float = 0.0) -> Tensor:
  ignored = -100
  if ignore_index is not None:
    ignored = ignore_index
  features = linear_weight.size(-1)
  flat_bias = linear_bias
  if linear_bias is not None:
    flat_bias = linear_bias.reshape(-1)
  logits = torch.linear(input, linear_weight.reshape(-1, features), flat_bias)
  logits = logits.reshape(input.size()[:-1] + linear_weight.size()[:-1])
  return torch.cross_entropy_loss(logits, target, weight, _reduction(reduction), ignored, label_smoothing)

def Functional_nll_loss(input: Tensor, target: Tensor, weight: Optional[Tensor] = None, size_average: Optional[bool] = None, ignore_index: int = -100, reduce: Optional[bool] = None, reduction: str = "mean") -> Tensor:
  return torch.nll_loss_nd(input, target, weight, _reduction_of(reduction, size_average, reduce), ignore_index)

def Functional_poisson_nll_loss(input: Tensor, target: Tensor, log_input: bool = True, full: bool = False, size_average: Optional[bool] = None, eps: float = 1e-08, reduce: Optional[bool] = None, reduction: str = "mean") -> Tensor:
  return torch.poisson_nll_loss(input, target, log_input, full, eps, _reduction_of(reduction, size_average, reduce))

def Functional_gaussian_nll_loss(input: Tensor, target: Tensor, var: Tensor, full: bool = False, eps: float = 1e-06, reduction: str = "mean") -> Tensor:
  variance = var
  if var.dim() == 0:
    variance = var * torch.ones_like(input)
  elif var.size() != input.size() and var.dim() == input.dim() - 1:
    variance = var.unsqueeze(-1)
  variance = variance.clone()
  # Clamped behind the gradient's back, as Python does.
  variance.detach().clamp_(min=eps)
  loss = 0.5 * (torch.log(variance) + (input - target) ** 2 / variance)
  if full:
    # half the logarithm of two pi
    loss = loss + 0.9189385332046727
  return _reduced(loss, _reduction(reduction))

def Functional_kl_div(input: Tensor, target: Tensor, size_average: Optional[bool] = None, reduce: Optional[bool] = None, reduction: str = "mean", log_target: bool = False) -> Tensor:
  loss = torch.kl_div(input, target, _reduction_of(reduction, size_average, reduce), log_target=log_target)
  if reduction == "batchmean" and input.dim() != 0:
    return loss / input.size(0)
  return loss

def Functional_binary_cross_entropy(input: Tensor, target: Tensor, weight: Optional[Tensor] = None, size_average: Optional[bool] = None, reduce: Optional[bool] = None, reduction: str = "mean") -> Tensor:
  kind = _reduction_of(reduction, size_average, reduce)
  if weight is None:
    return torch.binary_cross_entropy(input, target, None, kind)
  _, spread = torch.broadcast_tensors([target, weight])
  return torch.binary_cross_entropy(input, target, spread, kind)

def Functional_binary_cross_entropy_with_logits(input: Tensor, target: Tensor, weight: Optional[Tensor] = None, size_average: Optional[bool] = None, reduce: Optional[bool] = None, reduction: str = "mean", pos_weight: Optional[Tensor] = None) -> Tensor:
  return torch.binary_cross_entropy_with_logits(input, target, weight, pos_weight, _reduction_of(reduction, size_average, reduce))

def Functional_soft_margin_loss(input: Tensor, target: Tensor, size_average: Optional[bool] = None, reduce: Optional[bool] = None, reduction: str = "mean") -> Tensor:
  return torch.soft_margin_loss(input, target, _reduction_of(reduction, size_average, reduce))

def Functional_multilabel_margin_loss(input: Tensor, target: Tensor, size_average: Optional[bool] = None, reduce: Optional[bool] = None, reduction: str = "mean") -> Tensor:
  return torch.multilabel_margin_loss(input, target, _reduction_of(reduction, size_average, reduce))

def Functional_multilabel_soft_margin_loss(input: Tensor, target: Tensor, weight: Optional[Tensor] = None, size_average: Optional[bool] = None, reduce: Optional[bool] = None, reduction: str = "mean") -> Tensor:
  loss = -(target * torch.log_sigmoid(input) + (1 - target) * torch.log_sigmoid(-input))
  if weight is not None:
    loss = loss * weight
  classes = input.dim() - 1
  return _reduced(loss.sum(dim=[classes]) / input.size(classes), _reduction_of(reduction, size_average, reduce))

def Functional_multi_margin_loss(input: Tensor, target: Tensor, p: number = 1, margin: number = 1.0, weight: Optional[Tensor] = None, size_average: Optional[bool] = None, reduce: Optional[bool] = None, reduction: str = "mean") -> Tensor:
  return torch.multi_margin_loss(input, target, p, margin, weight, _reduction_of(reduction, size_average, reduce))

def Functional_hinge_embedding_loss(input: Tensor, target: Tensor, margin: float = 1.0, size_average: Optional[bool] = None, reduce: Optional[bool] = None, reduction: str = "mean") -> Tensor:
  return torch.hinge_embedding_loss(input, target, margin, _reduction_of(reduction, size_average, reduce))

def Functional_margin_ranking_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, size_average: Optional[bool] = None, reduce: Optional[bool] = None, reduction: str = "mean") -> Tensor:
  return torch.margin_ranking_loss(input1, input2, target, margin, _reduction_of(reduction, size_average, reduce))

def Functional_cosine_embedding_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, size_average: Optional[bool] = None, reduce: Optional[bool] = None, reduction: str = "mean") -> Tensor:
  return torch.cosine_embedding_loss(input1, input2, target, margin, _reduction_of(reduction, size_average, reduce))

def Functional_triplet_margin_loss(anchor: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0, p: float = 2.0, eps: float = 1e-06, swap: bool = False, size_average: Optional[bool] = None, reduce: Optional[bool] = None, reduction: str = "mean") -> Tensor:
  return torch.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, _reduction_of(reduction, size_average, reduce))

def Functional_triplet_margin_with_distance_loss(anchor: Tensor, positive: Tensor, negative: Tensor, distance_function: Optional[int] = None, margin: float = 1.0, swap: bool = False, reduction: str = "mean") -> Tensor:
  near = torch.pairwise_distance(anchor, positive)
  far = torch.pairwise_distance(anchor, negative)
  if swap:
    far = torch.minimum(far, torch.pairwise_distance(positive, negative))
  return _reduced(torch.clamp_min(margin + near - far, 0), _reduction(reduction))

def Functional_ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths: List[int], target_lengths: List[int], blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> Tensor:
  return torch.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, _reduction(reduction), zero_infinity)

def Functional_ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths: Tensor, target_lengths: Tensor, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> Tensor:
  return torch.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, _reduction(reduction), zero_infinity)
