# torch.Tensor: conversions. The names say the type, so none of them is widened.

def _cast(self: Tensor, dtype: int, memory_format: Optional[int]) -> Tensor:
  if memory_format is None:
    return self.to(dtype)
  return torch.to(self, dtype, False, False, memory_format)

def Tensor_half(self: Tensor, memory_format: Optional[int] = None) -> Tensor:
  return _cast(self, torch.float16, memory_format)

def Tensor_bfloat16(self: Tensor, memory_format: Optional[int] = None) -> Tensor:
  return _cast(self, torch.bfloat16, memory_format)

def Tensor_float(self: Tensor, memory_format: Optional[int] = None) -> Tensor:
  return _cast(self, torch.float32, memory_format)

def Tensor_double(self: Tensor, memory_format: Optional[int] = None) -> Tensor:
  return _cast(self, torch.float64, memory_format)

def Tensor_chalf(self: Tensor, memory_format: Optional[int] = None) -> Tensor:
  return _cast(self, torch.complex32, memory_format)

def Tensor_cfloat(self: Tensor, memory_format: Optional[int] = None) -> Tensor:
  return _cast(self, torch.complex64, memory_format)

def Tensor_cdouble(self: Tensor, memory_format: Optional[int] = None) -> Tensor:
  return _cast(self, torch.complex128, memory_format)

def Tensor_bool(self: Tensor, memory_format: Optional[int] = None) -> Tensor:
  return _cast(self, torch.bool, memory_format)

def Tensor_byte(self: Tensor, memory_format: Optional[int] = None) -> Tensor:
  return _cast(self, torch.uint8, memory_format)

def Tensor_char(self: Tensor, memory_format: Optional[int] = None) -> Tensor:
  return _cast(self, torch.int8, memory_format)

def Tensor_short(self: Tensor, memory_format: Optional[int] = None) -> Tensor:
  return _cast(self, torch.int16, memory_format)

def Tensor_int(self: Tensor, memory_format: Optional[int] = None) -> Tensor:
  return _cast(self, torch.int32, memory_format)

def Tensor_long(self: Tensor, memory_format: Optional[int] = None) -> Tensor:
  return _cast(self, torch.int64, memory_format)

def Tensor_cpu(self: Tensor, memory_format: Optional[int] = None) -> Tensor:
  return self.clone()

def Tensor_cuda(self: Tensor, device: Optional[Device] = None, non_blocking: bool = False, memory_format: Optional[int] = None) -> Tensor:
  return self.clone()
