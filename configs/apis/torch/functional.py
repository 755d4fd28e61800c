# torch.nn.functional: the functions that PyTorch writes in Python over its operators.

# Activations

def Functional_relu(input: Tensor, inplace: bool = False) -> Tensor:
  return torch.relu_(input) if inplace else torch.relu(input)

def Functional_relu6(input: Tensor, inplace: bool = False) -> Tensor:
  return torch.relu6_(input) if inplace else torch.relu6(input)

def Functional_elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
  return torch.elu_(input, alpha) if inplace else torch.elu(input, alpha)

def Functional_selu(input: Tensor, inplace: bool = False) -> Tensor:
  return torch.selu_(input) if inplace else torch.selu(input)

def Functional_celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
  return torch.celu_(input, alpha) if inplace else torch.celu(input, alpha)

def Functional_silu(input: Tensor, inplace: bool = False) -> Tensor:
  return torch.silu_(input) if inplace else torch.silu(input)

def Functional_mish(input: Tensor, inplace: bool = False) -> Tensor:
  return torch.mish_(input) if inplace else torch.mish(input)

def Functional_leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
  return torch.leaky_relu_(input, negative_slope) if inplace else torch.leaky_relu(input, negative_slope)

def Functional_rrelu(input: Tensor, lower: float = 0.125, upper: float = 0.3333333333333333, training: bool = False, inplace: bool = False) -> Tensor:
  return torch.rrelu_(input, lower, upper, training) if inplace else torch.rrelu(input, lower, upper, training)

def Functional_hardtanh(input: Tensor, min_val: number = -1.0, max_val: number = 1.0, inplace: bool = False) -> Tensor:
  return torch.hardtanh_(input, min_val, max_val) if inplace else torch.hardtanh(input, min_val, max_val)

def Functional_hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
  return torch.hardsigmoid_(input) if inplace else torch.hardsigmoid(input)

def Functional_hardswish(input: Tensor, inplace: bool = False) -> Tensor:
  return torch.hardswish_(input) if inplace else torch.hardswish(input)

def Functional_threshold(input: Tensor, threshold: number, value: number, inplace: bool = False) -> Tensor:
  return torch.threshold_(input, threshold, value) if inplace else torch.threshold(input, threshold, value)

def Functional_logsigmoid(input: Tensor) -> Tensor:
  return torch.log_sigmoid(input)

def Functional_softsign(input: Tensor) -> Tensor:
  return input / (input.abs() + 1)

def Functional_tanhshrink(input: Tensor) -> Tensor:
  return input - input.tanh()

def Functional_softmax(input: Tensor, dim: Optional[int] = None, _stacklevel: int = 3, dtype: Optional[int] = None) -> Tensor:
  axis = _softmax_dim(dim, input.dim())
  if dtype is None:
    return input.softmax(axis)
  return input.softmax(axis, dtype=dtype)

def Functional_softmin(input: Tensor, dim: Optional[int] = None, _stacklevel: int = 3, dtype: Optional[int] = None) -> Tensor:
  axis = _softmax_dim(dim, input.dim())
  if dtype is None:
    return (-input).softmax(axis)
  return (-input).softmax(axis, dtype=dtype)

def Functional_log_softmax(input: Tensor, dim: Optional[int] = None, _stacklevel: int = 3, dtype: Optional[int] = None) -> Tensor:
  axis = _softmax_dim(dim, input.dim())
  if dtype is None:
    return input.log_softmax(axis)
  return input.log_softmax(axis, dtype=dtype)

def Functional_gumbel_softmax(logits: Tensor, tau: float = 1.0, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
  noise = -torch.empty_like(logits).exponential_().log()
  soft = ((logits + noise) / tau).softmax(dim)
  if not hard:
    return soft
  index = torch.argmax(soft, dim, True)
  return torch.zeros_like(logits).scatter_(dim, index, 1.0) - soft.detach() + soft

# Dropout

def Functional_dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
  return torch.dropout_(input, p, training) if inplace else torch.dropout(input, p, training)

def Functional_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
  return torch.alpha_dropout_(input, p, training) if inplace else torch.alpha_dropout(input, p, training)

def Functional_feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
  return torch.feature_alpha_dropout_(input, p, training) if inplace else torch.feature_alpha_dropout(input, p, training)

def Functional_dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
  # A 2-d input is one item without batch dimension.
  single = input.dim() == 2
  batch = input.unsqueeze(0) if single else input
  out = torch.feature_dropout_(batch, p, training) if inplace else torch.feature_dropout(batch, p, training)
  return out.squeeze(0) if single else out

def Functional_dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
  return torch.feature_dropout_(input, p, training) if inplace else torch.feature_dropout(input, p, training)

def Functional_dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
  single = input.dim() == 4
  batch = input.unsqueeze(0) if single else input
  out = torch.feature_dropout_(batch, p, training) if inplace else torch.feature_dropout(batch, p, training)
  return out.squeeze(0) if single else out

# Embedding

def Functional_embedding(input: Tensor, weight: Tensor, padding_idx: Optional[int] = None, max_norm: Optional[float] = None, norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False) -> Tensor:
  padding = -1
  if padding_idx is not None:
    padding = padding_idx if padding_idx >= 0 else weight.size(0) + padding_idx
  if max_norm is None:
    return torch.embedding(weight, input, padding, scale_grad_by_freq, sparse)
  return torch.embedding(_renormed(weight, input, max_norm, norm_type), input, padding, scale_grad_by_freq, sparse)

def _renormed(weight: Tensor, input: Tensor, max_norm: float, norm_type: float) -> Tensor:
  # Python renormalises the weight itself without recording it for the gradient.
  torch.embedding_renorm_(weight.detach(), input.contiguous(), max_norm, norm_type)
  return weight

def Functional_embedding_bag(input: Tensor, weight: Tensor, offsets: Optional[Tensor] = None, max_norm: Optional[float] = None, norm_type: float = 2.0, scale_grad_by_freq: bool = False, mode: str = "mean", sparse: bool = False, per_sample_weights: Optional[Tensor] = None, include_last_offset: bool = False, padding_idx: Optional[int] = None) -> Tensor:
  kind = 2
  if mode == "sum":
    kind = 0
  elif mode == "mean":
    kind = 1
  table = weight
  if max_norm is not None:
    table = _renormed(weight, input, max_norm, norm_type)
  flat = input.reshape(-1)
  flat_weights = per_sample_weights
  if per_sample_weights is not None:
    flat_weights = per_sample_weights.reshape(-1)
  if offsets is None:
    starts = torch.arange(0, input.numel(), input.size(1), dtype=input.dtype)
    return torch.embedding_bag(table, flat, starts, scale_grad_by_freq, kind, sparse, flat_weights, False, padding_idx)[0]
  return torch.embedding_bag(table, flat, offsets, scale_grad_by_freq, kind, sparse, flat_weights, include_last_offset, padding_idx)[0]

# Normalisation

def Functional_batch_norm(input: Tensor, running_mean: Optional[Tensor], running_var: Optional[Tensor], weight: Optional[Tensor] = None, bias: Optional[Tensor] = None, training: bool = False, momentum: float = 0.1, eps: float = 1e-05) -> Tensor:
  return torch.batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, True)

def Functional_instance_norm(input: Tensor, running_mean: Optional[Tensor] = None, running_var: Optional[Tensor] = None, weight: Optional[Tensor] = None, bias: Optional[Tensor] = None, use_input_stats: bool = True, momentum: float = 0.1, eps: float = 1e-05) -> Tensor:
  return torch.instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, True)

def Functional_rms_norm(input: Tensor, normalized_shape: List[int], weight: Optional[Tensor] = None, eps: Optional[float] = None) -> Tensor:
  return torch.rms_norm(input, normalized_shape, weight, eps)

def Functional_rms_norm(input: Tensor, normalized_shape: List[int], weight: Optional[Tensor] = None, eps: Optional[float] = None) -> Tensor:
  # For a LibTorch without the operator: its definition. The default eps is the spacing of the type at 1.
  added = 2.220446049250313e-16 if input.dtype == torch.float64 else 1.1920928955078125e-07
  if eps is not None:
    added = eps
  dims = [-1 - i for i in range(len(normalized_shape))]
  out = input * torch.rsqrt(input.pow(2).mean(dims, True) + added)
  return out if weight is None else out * weight

def Functional_local_response_norm(input: Tensor, size: int, alpha: float = 0.0001, beta: float = 0.75, k: float = 1.0) -> Tensor:
  if input.numel() == 0:
    return input
  squares = input.mul(input)
  before = size // 2
  after = (size - 1) // 2
  if input.dim() == 3:
    sums = torch.avg_pool2d(torch.constant_pad_nd(squares.unsqueeze(1), [0, 0, before, after]), [size, 1], [1, 1]).squeeze(1)
  else:
    shape = input.size()
    padded = torch.constant_pad_nd(squares.view(shape[0], 1, shape[1], shape[2], -1), [0, 0, 0, 0, before, after])
    sums = torch.avg_pool3d(padded, [size, 1, 1], [1, 1, 1]).squeeze(1).view(shape)
  return input / sums.mul(alpha).add(k).pow(beta)

def Functional_normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Tensor:
  return input / torch.linalg_vector_norm(input, p, [dim], True).clamp_min(eps).expand_as(input)

def Functional_normalize(input: Tensor, p: float = 2.0, dim: List[int] = [1], eps: float = 1e-12) -> Tensor:
  return input / torch.linalg_vector_norm(input, p, dim, True).clamp_min(eps).expand_as(input)

# Pooling

def Functional_max_pool1d(input: Tensor, kernel_size: BroadcastingList1[int], stride: Optional[BroadcastingList1[int]] = None, padding: BroadcastingList1[int] = [0], dilation: BroadcastingList1[int] = [1], ceil_mode: bool = False, return_indices: bool = False) -> List[Tensor]:
  if return_indices:
    values, indices = torch.max_pool1d_with_indices(input, kernel_size, _stride(stride), padding, dilation, ceil_mode)
    return [values, indices]
  return [torch.max_pool1d(input, kernel_size, _stride(stride), padding, dilation, ceil_mode)]

def Functional_max_pool2d(input: Tensor, kernel_size: BroadcastingList2[int], stride: Optional[BroadcastingList2[int]] = None, padding: BroadcastingList2[int] = [0, 0], dilation: BroadcastingList2[int] = [1, 1], ceil_mode: bool = False, return_indices: bool = False) -> List[Tensor]:
  if return_indices:
    values, indices = torch.max_pool2d_with_indices(input, kernel_size, _stride(stride), padding, dilation, ceil_mode)
    return [values, indices]
  return [torch.max_pool2d(input, kernel_size, _stride(stride), padding, dilation, ceil_mode)]

def Functional_max_pool3d(input: Tensor, kernel_size: BroadcastingList3[int], stride: Optional[BroadcastingList3[int]] = None, padding: BroadcastingList3[int] = [0, 0, 0], dilation: BroadcastingList3[int] = [1, 1, 1], ceil_mode: bool = False, return_indices: bool = False) -> List[Tensor]:
  if return_indices:
    values, indices = torch.max_pool3d_with_indices(input, kernel_size, _stride(stride), padding, dilation, ceil_mode)
    return [values, indices]
  return [torch.max_pool3d(input, kernel_size, _stride(stride), padding, dilation, ceil_mode)]

def Functional_max_pool1d_with_indices(input: Tensor, kernel_size: BroadcastingList1[int], stride: Optional[BroadcastingList1[int]] = None, padding: BroadcastingList1[int] = [0], dilation: BroadcastingList1[int] = [1], ceil_mode: bool = False, return_indices: bool = False) -> Tuple[Tensor, Tensor]:
  return torch.max_pool1d_with_indices(input, kernel_size, _stride(stride), padding, dilation, ceil_mode)

def Functional_max_pool2d_with_indices(input: Tensor, kernel_size: BroadcastingList2[int], stride: Optional[BroadcastingList2[int]] = None, padding: BroadcastingList2[int] = [0, 0], dilation: BroadcastingList2[int] = [1, 1], ceil_mode: bool = False, return_indices: bool = False) -> Tuple[Tensor, Tensor]:
  return torch.max_pool2d_with_indices(input, kernel_size, _stride(stride), padding, dilation, ceil_mode)

def Functional_max_pool3d_with_indices(input: Tensor, kernel_size: BroadcastingList3[int], stride: Optional[BroadcastingList3[int]] = None, padding: BroadcastingList3[int] = [0, 0, 0], dilation: BroadcastingList3[int] = [1, 1, 1], ceil_mode: bool = False, return_indices: bool = False) -> Tuple[Tensor, Tensor]:
  return torch.max_pool3d_with_indices(input, kernel_size, _stride(stride), padding, dilation, ceil_mode)

def Functional_adaptive_max_pool1d(input: Tensor, output_size: BroadcastingList1[int], return_indices: bool = False) -> List[Tensor]:
  values, indices = torch.adaptive_max_pool1d(input, output_size)
  return _list_out(values, indices, return_indices)

def Functional_adaptive_max_pool2d(input: Tensor, output_size: BroadcastingList2[int], return_indices: bool = False) -> List[Tensor]:
  values, indices = torch.adaptive_max_pool2d(input, output_size)
  return _list_out(values, indices, return_indices)

def Functional_adaptive_max_pool2d(input: Tensor, output_size: List[Optional[int]], return_indices: bool = False) -> List[Tensor]:
  values, indices = torch.adaptive_max_pool2d(input, _sizes_or(output_size, input))
  return _list_out(values, indices, return_indices)

def Functional_adaptive_max_pool3d(input: Tensor, output_size: BroadcastingList3[int], return_indices: bool = False) -> List[Tensor]:
  values, indices = torch.adaptive_max_pool3d(input, output_size)
  return _list_out(values, indices, return_indices)

def Functional_adaptive_max_pool3d(input: Tensor, output_size: List[Optional[int]], return_indices: bool = False) -> List[Tensor]:
  values, indices = torch.adaptive_max_pool3d(input, _sizes_or(output_size, input))
  return _list_out(values, indices, return_indices)

def Functional_adaptive_max_pool1d_with_indices(input: Tensor, output_size: BroadcastingList1[int], return_indices: bool = False) -> Tuple[Tensor, Tensor]:
  return torch.adaptive_max_pool1d(input, output_size)

def Functional_adaptive_max_pool2d_with_indices(input: Tensor, output_size: BroadcastingList2[int], return_indices: bool = False) -> Tuple[Tensor, Tensor]:
  return torch.adaptive_max_pool2d(input, output_size)

def Functional_adaptive_max_pool2d_with_indices(input: Tensor, output_size: List[Optional[int]], return_indices: bool = False) -> Tuple[Tensor, Tensor]:
  return torch.adaptive_max_pool2d(input, _sizes_or(output_size, input))

def Functional_adaptive_max_pool3d_with_indices(input: Tensor, output_size: BroadcastingList3[int], return_indices: bool = False) -> Tuple[Tensor, Tensor]:
  return torch.adaptive_max_pool3d(input, output_size)

def Functional_adaptive_max_pool3d_with_indices(input: Tensor, output_size: List[Optional[int]], return_indices: bool = False) -> Tuple[Tensor, Tensor]:
  return torch.adaptive_max_pool3d(input, _sizes_or(output_size, input))

def Functional_adaptive_avg_pool2d(input: Tensor, output_size: BroadcastingList2[int]) -> Tensor:
  return torch.adaptive_avg_pool2d(input, output_size)

def Functional_adaptive_avg_pool2d(input: Tensor, output_size: List[Optional[int]]) -> Tensor:
  return torch.adaptive_avg_pool2d(input, _sizes_or(output_size, input))

def Functional_adaptive_avg_pool3d(input: Tensor, output_size: BroadcastingList3[int]) -> Tensor:
  return torch.adaptive_avg_pool3d(input, output_size)

def Functional_adaptive_avg_pool3d(input: Tensor, output_size: List[Optional[int]]) -> Tensor:
  return torch.adaptive_avg_pool3d(input, _sizes_or(output_size, input))

def Functional_fractional_max_pool2d_with_indices(input: Tensor, kernel_size: BroadcastingList2[int], output_size: Optional[BroadcastingList2[int]] = None, output_ratio: Optional[BroadcastingList2[float]] = None, return_indices: bool = False, _random_samples: Optional[Tensor] = None) -> Tuple[Tensor, Tensor]:
  size: List[int] = []
  if output_size is not None:
    size = output_size
  elif output_ratio is not None:
    size = [int(input.size(-2) * output_ratio[0]), int(input.size(-1) * output_ratio[1])]
  if _random_samples is None:
    batch = 1 if input.dim() == 3 else input.size(0)
    return torch.fractional_max_pool2d(input, kernel_size, size, torch.rand([batch, input.size(-3), 2], dtype=input.dtype))
  return torch.fractional_max_pool2d(input, kernel_size, size, _random_samples)

def Functional_fractional_max_pool3d_with_indices(input: Tensor, kernel_size: BroadcastingList3[int], output_size: Optional[BroadcastingList3[int]] = None, output_ratio: Optional[BroadcastingList3[float]] = None, return_indices: bool = False, _random_samples: Optional[Tensor] = None) -> Tuple[Tensor, Tensor]:
  size: List[int] = []
  if output_size is not None:
    size = output_size
  elif output_ratio is not None:
    size = [int(input.size(-3) * output_ratio[0]), int(input.size(-2) * output_ratio[1]), int(input.size(-1) * output_ratio[2])]
  if _random_samples is None:
    batch = 1 if input.dim() == 4 else input.size(0)
    return torch.fractional_max_pool3d(input, kernel_size, size, torch.rand([batch, input.size(-4), 3], dtype=input.dtype))
  return torch.fractional_max_pool3d(input, kernel_size, size, _random_samples)

def Functional_fractional_max_pool2d(input: Tensor, kernel_size: BroadcastingList2[int], output_size: Optional[BroadcastingList2[int]] = None, output_ratio: Optional[BroadcastingList2[float]] = None, return_indices: bool = False, _random_samples: Optional[Tensor] = None) -> List[Tensor]:
  values, indices = Functional_fractional_max_pool2d_with_indices(input, kernel_size, output_size, output_ratio, True, _random_samples)
  return _list_out(values, indices, return_indices)

def Functional_fractional_max_pool3d(input: Tensor, kernel_size: BroadcastingList3[int], output_size: Optional[BroadcastingList3[int]] = None, output_ratio: Optional[BroadcastingList3[float]] = None, return_indices: bool = False, _random_samples: Optional[Tensor] = None) -> List[Tensor]:
  values, indices = Functional_fractional_max_pool3d_with_indices(input, kernel_size, output_size, output_ratio, True, _random_samples)
  return _list_out(values, indices, return_indices)

def Functional_max_unpool1d(input: Tensor, indices: Tensor, kernel_size: BroadcastingList1[int], stride: Optional[BroadcastingList1[int]] = None, padding: BroadcastingList1[int] = [0], output_size: Optional[List[int]] = None) -> Tensor:
  steps = kernel_size if stride is None else stride
  size = _unpooled_size(input, kernel_size, steps, padding, output_size)
  return torch.max_unpool2d(input.unsqueeze(-1), indices.unsqueeze(-1), size + [1]).squeeze(-1)

def Functional_max_unpool2d(input: Tensor, indices: Tensor, kernel_size: BroadcastingList2[int], stride: Optional[BroadcastingList2[int]] = None, padding: BroadcastingList2[int] = [0, 0], output_size: Optional[List[int]] = None) -> Tensor:
  steps = kernel_size if stride is None else stride
  return torch.max_unpool2d(input, indices, _unpooled_size(input, kernel_size, steps, padding, output_size))

def Functional_max_unpool3d(input: Tensor, indices: Tensor, kernel_size: BroadcastingList3[int], stride: Optional[BroadcastingList3[int]] = None, padding: BroadcastingList3[int] = [0, 0, 0], output_size: Optional[List[int]] = None) -> Tensor:
  steps = kernel_size if stride is None else stride
  return torch.max_unpool3d(input, indices, _unpooled_size(input, kernel_size, steps, padding, output_size), steps, padding)

def _lp_root(mean: Tensor, count: int, norm_type: float) -> Tensor:
  return (torch.sign(mean) * torch.relu(torch.abs(mean))).mul(count).pow(1.0 / norm_type)

def Functional_lp_pool1d(input: Tensor, norm_type: number, kernel_size: BroadcastingList1[int], stride: Optional[BroadcastingList1[int]] = None, ceil_mode: bool = False) -> Tensor:
  p = float(norm_type)
  if p == float("inf"):
    return torch.max_pool1d(input.abs(), kernel_size, _stride(stride), [0], [1], ceil_mode)
  if p == -float("inf"):
    return -torch.max_pool1d(-input.abs(), kernel_size, _stride(stride), [0], [1], ceil_mode)
  return _lp_root(torch.avg_pool1d(input.pow(norm_type), kernel_size, _stride(stride), [0], ceil_mode), kernel_size[0], p)

def Functional_lp_pool2d(input: Tensor, norm_type: number, kernel_size: BroadcastingList2[int], stride: Optional[BroadcastingList2[int]] = None, ceil_mode: bool = False) -> Tensor:
  p = float(norm_type)
  if p == float("inf"):
    return torch.max_pool2d(input.abs(), kernel_size, _stride(stride), [0, 0], [1, 1], ceil_mode)
  if p == -float("inf"):
    return -torch.max_pool2d(-input.abs(), kernel_size, _stride(stride), [0, 0], [1, 1], ceil_mode)
  count = kernel_size[0] * kernel_size[1]
  return _lp_root(torch.avg_pool2d(input.pow(norm_type), kernel_size, _stride(stride), [0, 0], ceil_mode), count, p)

def Functional_lp_pool3d(input: Tensor, norm_type: number, kernel_size: BroadcastingList3[int], stride: Optional[BroadcastingList3[int]] = None, ceil_mode: bool = False) -> Tensor:
  p = float(norm_type)
  if p == float("inf"):
    return torch.max_pool3d(input.abs(), kernel_size, _stride(stride), [0, 0, 0], [1, 1, 1], ceil_mode)
  if p == -float("inf"):
    return -torch.max_pool3d(-input.abs(), kernel_size, _stride(stride), [0, 0, 0], [1, 1, 1], ceil_mode)
  count = kernel_size[0] * kernel_size[1] * kernel_size[2]
  return _lp_root(torch.avg_pool3d(input.pow(norm_type), kernel_size, _stride(stride), [0, 0, 0], ceil_mode), count, p)

def Functional_fold(input: Tensor, output_size: BroadcastingList2[int], kernel_size: BroadcastingList2[int], dilation: BroadcastingList2[int] = [1, 1], padding: BroadcastingList2[int] = [0, 0], stride: BroadcastingList2[int] = [1, 1]) -> Tensor:
  return torch.col2im(input, output_size, kernel_size, dilation, padding, stride)

def Functional_unfold(input: Tensor, kernel_size: BroadcastingList2[int], dilation: BroadcastingList2[int] = [1, 1], padding: BroadcastingList2[int] = [0, 0], stride: BroadcastingList2[int] = [1, 1]) -> Tensor:
  return torch.im2col(input, kernel_size, dilation, padding, stride)
