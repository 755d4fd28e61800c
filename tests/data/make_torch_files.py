"""Writes torch_files.tar.xz: files of torch.save to test the reader on.

    python make_torch_files.py torch_files.tar.xz      (made with torch 2.15)
"""

import collections
import io
import os
import sys
import tarfile
import zipfile

import torch

DTYPES = ("bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex32 complex64 complex128 "
          "float8_e4m3fn float8_e5m2").split()


class Evil:
    def __reduce__(self):
        return os.system, ("touch /tmp/assay-was-here",)


def saved(value, **options):
    buffer = io.BytesIO()
    torch.save(value, buffer, **options)
    return buffer.getvalue()


def rewritten(data, method=zipfile.ZIP_STORED, change=lambda name, content: content):
    """The archive once more, members changed."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(out, "w", method) as target:
        for info in source.infolist():
            content = change(info.filename, source.read(info))
            if content is not None:
                target.writestr(zipfile.ZipInfo(info.filename), content, method)
    return out.getvalue()


def big_endian(name, content):
    if name.endswith("byteorder"):
        return b"big"
    if "/data/" in name:
        return b"".join(content[i:i + 4][::-1] for i in range(0, len(content), 4))
    return content


def files():
    for name in DTYPES:
        yield name + ".pt", saved(torch.tensor([[1, 0, 2], [3, 1, 5]]).to(getattr(torch, name)))
    plain = torch.arange(6.0).reshape(2, 3)
    yield "parameter.pt", saved(torch.nn.Parameter(plain))
    yield "buffer.pt", saved(torch.nn.Buffer(plain))
    yield "grad.pt", saved(plain.clone().requires_grad_())
    yield "strided.pt", saved(torch.arange(12.0).reshape(3, 4).t()[1:, 1:])
    yield "expanded.pt", saved(torch.arange(3.0).expand(2, 3))
    for protocol in (3, 4, 5):
        yield f"protocol{protocol}.pt", saved({"t": plain, "n": [1, 70000, -70000, 2**40]}, pickle_protocol=protocol)
    yield "scalar.pt", saved(torch.tensor(3.5))
    yield "empty.pt", saved(torch.zeros(0, 3))
    yield "nested.pt", saved({"a": [torch.arange(2), (torch.arange(3.0), None)], "n": -5, "f": 2.5, "s": "x", "t": True,
                              "o": collections.OrderedDict(z=plain), "size": torch.Size([2, 3]), "dtype": torch.float16,
                              "device": torch.device("cpu")})
    yield "conjugated.pt", saved(torch.tensor([1 + 2j]).conj())
    yield "deflated.pt", rewritten(saved(plain), zipfile.ZIP_DEFLATED)
    yield "unaligned.pt", rewritten(saved(plain))
    yield "big_endian.pt", rewritten(saved(plain), change=big_endian)
    yield "legacy.pt", saved(plain, _use_new_zipfile_serialization=False)
    yield "evil.pt", saved(Evil())
    yield "evil_beside_tensor.pt", saved([plain, Evil()])
    yield "lying_shape.pt", rewritten(saved(plain), change=lambda n, c: c.replace(b"K\x02K\x03\x86", b"K\x02K\x09\x86"))
    yield "lying_storage.pt", rewritten(saved(plain), change=lambda n, c: c.replace(b"cpuq\x04K\x06", b"cpuq\x04K\x60"))
    yield "missing_storage.pt", rewritten(saved(plain), change=lambda n, c: None if n.endswith("data/0") else c)
    yield "missing_pickle.pt", rewritten(saved(plain), change=lambda n, c: None if n.endswith("data.pkl") else c)
    yield "huge_stride.pt", rewritten(
        saved(plain), change=lambda n, c: c.replace(b"K\x03K\x01\x86", b"\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7fK\x01\x86"))
    yield "negative_offset.pt", rewritten(saved(plain), change=lambda n, c: c.replace(b"QK\x00K\x02", b"QJ\xff\xff\xff\xffK\x02"))


def main(path):
    with tarfile.open(path, "w:xz") as archive:
        for name, content in files():
            info = tarfile.TarInfo("torch_files/" + name)
            info.size = len(content)
            info.mode = 0o644
            archive.addfile(info, io.BytesIO(content))


main(sys.argv[1])
