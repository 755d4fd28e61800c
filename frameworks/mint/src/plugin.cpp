// The components of the Python bridge.
#include "assay/sdk/plugin.hpp"

#include "python_adapter.hpp"

ASSAY_EXPORT_PLUGIN("assay.mint", "1.0.0",
                    ASSAY_COMPONENT(assay::bridge::MintAdapter, "assay.mint", "1.0.0",
                                    "runs recorded APIs on MindSpore (mindspore.mint) in a Python process",
                                    assay::bridge::kConfigSchema),
                    ASSAY_COMPONENT(assay::bridge::PythonTorchAdapter, "assay.python-torch", "1.0.0",
                                    "runs recorded APIs on PyTorch in a Python process", assay::bridge::kConfigSchema))
