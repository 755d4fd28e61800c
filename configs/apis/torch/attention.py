# torch.nn.functional: attention.

def _as_bias(mask: Tensor, query: Tensor) -> Tensor:
  # A bool mask says which positions are left out.
  if mask.is_floating_point():
    return mask
  return torch.zeros_like(mask, dtype=query.dtype).masked_fill_(mask, float("-inf"))

def _projected(query: Tensor, key: Tensor, value: Tensor, weight: Tensor, bias: Optional[Tensor]) -> Tuple[Tensor, Tensor, Tensor]:
  w = weight.chunk(3)
  if bias is None:
    return torch.linear(query, w[0]), torch.linear(key, w[1]), torch.linear(value, w[2])
  b = bias.chunk(3)
  return torch.linear(query, w[0], b[0]), torch.linear(key, w[1], b[1]), torch.linear(value, w[2], b[2])

def _projected_apart(query: Tensor, key: Tensor, value: Tensor, q_weight: Tensor, k_weight: Tensor, v_weight: Tensor, bias: Optional[Tensor]) -> Tuple[Tensor, Tensor, Tensor]:
  if bias is None:
    return torch.linear(query, q_weight), torch.linear(key, k_weight), torch.linear(value, v_weight)
  b = bias.chunk(3)
  return torch.linear(query, q_weight, b[0]), torch.linear(key, k_weight, b[1]), torch.linear(value, v_weight, b[2])

def Functional_scaled_dot_product_attention(query: Tensor, key: Tensor, value: Tensor, attn_mask: Optional[Tensor] = None, dropout_p: float = 0.0, is_causal: bool = False, scale: Optional[float] = None, enable_gqa: bool = False) -> Tensor:
  return torch.scaled_dot_product_attention(query, key, value, attn_mask, dropout_p, is_causal, scale=scale, enable_gqa=enable_gqa)

def Functional_scaled_dot_product_attention(query: Tensor, key: Tensor, value: Tensor, attn_mask: Optional[Tensor] = None, dropout_p: float = 0.0, is_causal: bool = False, scale: Optional[float] = None, enable_gqa: bool = False) -> Tensor:
  # For a LibTorch without the operator: its definition.
  factor = 1.0 / float(query.size(-1)) ** 0.5
  if scale is not None:
    factor = scale
  if enable_gqa:
    assert key.size(-3) > 0 and value.size(-3) > 0, "no key or value heads"
    key = key.repeat_interleave(query.size(-3) // key.size(-3), -3)
    value = value.repeat_interleave(query.size(-3) // value.size(-3), -3)
  scores = torch.matmul(query * factor, key.transpose(-2, -1))
  if is_causal:
    ones = torch.ones([query.size(-2), key.size(-2)], dtype=torch.bool)
    scores = scores.masked_fill(ones.tril().logical_not(), float("-inf"))
  if attn_mask is not None:
    scores = scores + _as_bias(attn_mask if attn_mask.is_floating_point() else attn_mask.logical_not(), query)
  weights = scores.softmax(-1)
  if dropout_p > 0.0:
    weights = torch.dropout(weights, dropout_p, True)
  return torch.matmul(weights, value)

def Functional_multi_head_attention_forward(query: Tensor, key: Tensor, value: Tensor, embed_dim_to_check: int, num_heads: int, in_proj_weight: Optional[Tensor], in_proj_bias: Optional[Tensor], bias_k: Optional[Tensor], bias_v: Optional[Tensor], add_zero_attn: bool, dropout_p: float, out_proj_weight: Tensor, out_proj_bias: Optional[Tensor], training: bool = True, key_padding_mask: Optional[Tensor] = None, need_weights: bool = True, attn_mask: Optional[Tensor] = None, use_separate_proj_weight: bool = False, q_proj_weight: Optional[Tensor] = None, k_proj_weight: Optional[Tensor] = None, v_proj_weight: Optional[Tensor] = None, static_k: Optional[Tensor] = None, static_v: Optional[Tensor] = None, average_attn_weights: bool = True, is_causal: bool = False) -> Tuple[Tensor, Optional[Tensor]]:
  batched = query.dim() == 3
  padding = key_padding_mask
  if not batched:
    query = query.unsqueeze(1)
    key = key.unsqueeze(1)
    value = value.unsqueeze(1)
    if padding is not None:
      padding = padding.unsqueeze(0)
  length = query.size(0)
  batch = query.size(1)
  width = query.size(2)
  # The interpreter's integer division by zero would end the process.
  assert num_heads > 0, "num_heads must be positive"
  head = width // num_heads
  heads = batch * num_heads
  if padding is not None:
    padding = _as_bias(padding, query)
  mask = attn_mask
  causal = is_causal
  if causal and padding is None and not need_weights:
    mask = None
  else:
    if mask is not None:
      mask = _as_bias(mask, query)
    if padding is not None:
      causal = False

  if use_separate_proj_weight and q_proj_weight is not None and k_proj_weight is not None and v_proj_weight is not None:
    q, k, v = _projected_apart(query, key, value, q_proj_weight, k_proj_weight, v_proj_weight, in_proj_bias)
  elif in_proj_weight is not None:
    q, k, v = _projected(query, key, value, in_proj_weight, in_proj_bias)
  else:
    assert False, "no projection weights were given"
    q, k, v = query, key, value

  if mask is not None and mask.dim() == 2:
    mask = mask.unsqueeze(0)
  if bias_k is not None and bias_v is not None:
    k = torch.cat([k, bias_k.repeat([1, batch, 1])])
    v = torch.cat([v, bias_v.repeat([1, batch, 1])])
    if mask is not None:
      mask = torch.constant_pad_nd(mask, [0, 1])
    if padding is not None:
      padding = torch.constant_pad_nd(padding, [0, 1])
  q = q.view([length, heads, head]).transpose(0, 1)
  if static_k is None:
    k = k.view([k.size(0), heads, head]).transpose(0, 1)
  else:
    k = static_k
  if static_v is None:
    v = v.view([v.size(0), heads, head]).transpose(0, 1)
  else:
    v = static_v
  if add_zero_attn:
    k = torch.cat([k, torch.zeros([heads, 1, head], dtype=k.dtype)], dim=1)
    v = torch.cat([v, torch.zeros([heads, 1, head], dtype=v.dtype)], dim=1)
    if mask is not None:
      mask = torch.constant_pad_nd(mask, [0, 1])
    if padding is not None:
      padding = torch.constant_pad_nd(padding, [0, 1])
  source = k.size(1)
  if padding is not None:
    spread = padding.view([batch, 1, 1, source]).expand([-1, num_heads, -1, -1]).reshape([heads, 1, source])
    mask = spread if mask is None else mask + spread
  p = dropout_p if training else 0.0

  if need_weights:
    scaled = q * (1.0 / float(head)) ** 0.5
    if mask is not None:
      weights = torch.baddbmm(mask, scaled, k.transpose(-2, -1))
    else:
      weights = torch.bmm(scaled, k.transpose(-2, -1))
    weights = weights.softmax(-1)
    if p > 0.0:
      weights = torch.dropout(weights, p, True)
    mixed = torch.bmm(weights, v).transpose(0, 1).reshape([length * batch, width])
    out = torch.linear(mixed, out_proj_weight, out_proj_bias)
    out = out.view([length, batch, out.size(1)])
    weights = weights.view([batch, num_heads, length, source])
    if average_attn_weights:
      weights = weights.mean(dim=[1])
    if not batched:
      return out.squeeze(1), weights.squeeze(0)
    return out, weights
  if mask is not None:
    if mask.size(0) == 1 and mask.dim() == 3:
      mask = mask.unsqueeze(0)
    else:
      mask = mask.view([batch, num_heads, -1, source])
  four = [batch, num_heads, -1, head]
  mixed = Functional_scaled_dot_product_attention(q.view(four), k.view(four), v.view(four), mask, p, causal)
  mixed = mixed.permute([2, 0, 1, 3]).reshape([batch * length, width])
  out = torch.linear(mixed, out_proj_weight, out_proj_bias)
  out = out.view([length, batch, out.size(1)])
  return (out if batched else out.squeeze(1)), None
