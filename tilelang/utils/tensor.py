"""Comparison of tensors and how inputs are filled."""

from tilelang.language.policy import TensorSupplyType
from tilelang.utils import torch_assert_close

__all__ = ["TensorSupplyType", "torch_assert_close"]
