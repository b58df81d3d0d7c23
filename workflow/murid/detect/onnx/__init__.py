"""Networks of others, as ONNX files: told by what they take and give, run by onnxruntime."""
