"""`dl.xhr_dataset`."""

from tfpy.legacy.datasets.loaders import XhrDataset as XhrDataset
from tfpy.legacy.datasets.loaders import get_xhr_dataset_config as get_xhr_dataset_config

getXhrDatasetConfig = get_xhr_dataset_config
