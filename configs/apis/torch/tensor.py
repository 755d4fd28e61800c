# torch.Tensor: special methods and methods that PyTorch writes in Python.

def Tensor___len__(self: Tensor) -> int:
  return self.size(0)

def Tensor___int__(self: Tensor) -> int:
  return int(self)

def Tensor___float__(self: Tensor) -> float:
  return float(self)

def Tensor___iter__(self: Tensor) -> List[Tensor]:
  return self.unbind(0)

def Tensor___reversed__(self: Tensor) -> Tensor:
  return self if self.dim() == 0 else self.flip([0])

def Tensor___contains__(self: Tensor, element: Tensor) -> bool:
  return bool((element == self).any())

def Tensor___contains__(self: Tensor, element: number) -> bool:
  return bool((self == element).any())

def Tensor___rtruediv__(self: Tensor, other: number) -> Tensor:
  return self.reciprocal() * other

def Tensor___rtruediv__(self: Tensor, other: Tensor) -> Tensor:
  return self.reciprocal() * other

def Tensor_element_size(self: Tensor) -> int:
  return self.element_size()

def Tensor_nelement(self: Tensor) -> int:
  return self.numel()

def Tensor_ndimension(self: Tensor) -> int:
  return self.dim()

def Tensor_requires_grad_(self: Tensor, requires_grad: bool = True) -> Tensor:
  return self

def Tensor_is_shared(self: Tensor) -> bool:
  return False

def Tensor_share_memory_(self: Tensor) -> Tensor:
  return self

