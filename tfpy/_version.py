VERSION = "0.1.0"
TFJS = "4.22.0"  # the version of TF.js whose API this is
