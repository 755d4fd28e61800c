# torch.nn.functional: resampling and grids.

def _resampled(input: Tensor, size: Optional[List[int]], scale_factor: Optional[List[float]], mode: str, corners: bool, antialias: bool) -> Tensor:
  ndim = input.dim()
  if mode == "nearest":
    if ndim == 3:
      return torch.upsample_nearest1d(input, size, scale_factor)
    if ndim == 4:
      return torch.upsample_nearest2d(input, size, scale_factor)
    return torch.upsample_nearest3d(input, size, scale_factor)
  if mode == "nearest-exact":
    if ndim == 3:
      return torch._upsample_nearest_exact1d(input, size, scale_factor)
    if ndim == 4:
      return torch._upsample_nearest_exact2d(input, size, scale_factor)
    return torch._upsample_nearest_exact3d(input, size, scale_factor)
  if mode == "linear":
    return torch.upsample_linear1d(input, size, corners, scale_factor)
  if mode == "bilinear":
    if antialias:
      return torch._upsample_bilinear2d_aa(input, size, corners, scale_factor)
    return torch.upsample_bilinear2d(input, size, corners, scale_factor)
  if mode == "bicubic":
    if antialias:
      return torch._upsample_bicubic2d_aa(input, size, corners, scale_factor)
    return torch.upsample_bicubic2d(input, size, corners, scale_factor)
  if mode == "trilinear":
    return torch.upsample_trilinear3d(input, size, corners, scale_factor)
  if mode == "area" and size is not None:
    if ndim == 3:
      return torch.adaptive_avg_pool1d(input, size)
    if ndim == 4:
      return torch.adaptive_avg_pool2d(input, size)
    return torch.adaptive_avg_pool3d(input, size)
  assert False, "this mode of interpolate is not known"
  return input

def _scaled_sizes(input: Tensor, scale_factor: List[float]) -> List[int]:
  out: List[int] = []
  for i in range(len(scale_factor)):
    out.append(int(torch.floor(float(input.size(i + 2)) * scale_factor[i])))
  return out

def Functional_interpolate(input: Tensor, size: Optional[List[int]] = None, scale_factor: Optional[List[float]] = None, mode: str = "nearest", align_corners: Optional[bool] = None, recompute_scale_factor: Optional[bool] = None, antialias: bool = False) -> Tensor:
  corners = align_corners is not None and align_corners
  fixed = recompute_scale_factor is not None and recompute_scale_factor
  if scale_factor is not None and (fixed or mode == "area"):
    return _resampled(input, _scaled_sizes(input, scale_factor), None, mode, corners, antialias)
  return _resampled(input, size, scale_factor, mode, corners, antialias)

def Functional_interpolate(input: Tensor, size: int, scale_factor: Optional[List[float]] = None, mode: str = "nearest", align_corners: Optional[bool] = None, recompute_scale_factor: Optional[bool] = None, antialias: bool = False) -> Tensor:
  corners = align_corners is not None and align_corners
  return _resampled(input, [size for _ in range(input.dim() - 2)], None, mode, corners, antialias)

def Functional_interpolate(input: Tensor, size: Optional[int] = None, scale_factor: float = 1.0, mode: str = "nearest", align_corners: Optional[bool] = None, recompute_scale_factor: Optional[bool] = None, antialias: bool = False) -> Tensor:
  corners = align_corners is not None and align_corners
  fixed = recompute_scale_factor is not None and recompute_scale_factor
  scales = [scale_factor for _ in range(input.dim() - 2)]
  if fixed or mode == "area":
    return _resampled(input, _scaled_sizes(input, scales), None, mode, corners, antialias)
  return _resampled(input, None, scales, mode, corners, antialias)

def Functional_upsample(input: Tensor, size: Optional[List[int]] = None, scale_factor: Optional[List[float]] = None, mode: str = "nearest", align_corners: Optional[bool] = None) -> Tensor:
  return Functional_interpolate(input, size, scale_factor, mode, align_corners)

def Functional_upsample(input: Tensor, size: int, scale_factor: Optional[List[float]] = None, mode: str = "nearest", align_corners: Optional[bool] = None) -> Tensor:
  return Functional_interpolate(input, [size for _ in range(input.dim() - 2)], None, mode, align_corners)

def Functional_upsample(input: Tensor, size: Optional[int] = None, scale_factor: float = 1.0, mode: str = "nearest", align_corners: Optional[bool] = None) -> Tensor:
  return Functional_interpolate(input, None, [scale_factor for _ in range(input.dim() - 2)], mode, align_corners)

def Functional_upsample_nearest(input: Tensor, size: Optional[List[int]] = None, scale_factor: Optional[List[float]] = None) -> Tensor:
  return Functional_interpolate(input, size, scale_factor, "nearest")

def Functional_upsample_nearest(input: Tensor, size: int, scale_factor: Optional[List[float]] = None) -> Tensor:
  return Functional_interpolate(input, [size for _ in range(input.dim() - 2)], None, "nearest")

def Functional_upsample_nearest(input: Tensor, size: Optional[int] = None, scale_factor: float = 1.0) -> Tensor:
  return Functional_interpolate(input, None, [scale_factor for _ in range(input.dim() - 2)], "nearest")

def Functional_upsample_bilinear(input: Tensor, size: Optional[List[int]] = None, scale_factor: Optional[List[float]] = None) -> Tensor:
  return Functional_interpolate(input, size, scale_factor, "bilinear", True)

def Functional_upsample_bilinear(input: Tensor, size: int, scale_factor: Optional[List[float]] = None) -> Tensor:
  return Functional_interpolate(input, [size for _ in range(input.dim() - 2)], None, "bilinear", True)

def Functional_upsample_bilinear(input: Tensor, size: Optional[int] = None, scale_factor: float = 1.0) -> Tensor:
  return Functional_interpolate(input, None, [scale_factor for _ in range(input.dim() - 2)], "bilinear", True)

def Functional_grid_sample(input: Tensor, grid: Tensor, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: Optional[bool] = None) -> Tensor:
  kind = 2
  if mode == "bilinear":
    kind = 0
  elif mode == "nearest":
    kind = 1
  padding = 2
  if padding_mode == "zeros":
    padding = 0
  elif padding_mode == "border":
    padding = 1
  return torch.grid_sampler(input, grid, kind, padding, align_corners is not None and align_corners)

def Functional_affine_grid(theta: Tensor, size: List[int], align_corners: Optional[bool] = None) -> Tensor:
  return torch.affine_grid_generator(theta, size, align_corners is not None and align_corners)
