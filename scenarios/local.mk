# Files of scenarios/ and of the device folders that they name: both are data that users copy.
nobase_dist_pkgdata_DATA += \
  scenarios/activation-offload/scenario.yaml scenarios/activation-offload/nodes.csv \
  scenarios/activation-offload/edges.csv scenarios/activation-offload/objects.csv \
  scenarios/activation-offload/README.md \
  scenarios/azure-conversation/README.md \
  scenarios/azure-conversation/llama-70b/scenario.yaml \
  scenarios/azure-conversation/llama-70b/nodes.csv scenarios/azure-conversation/llama-70b/two.csv \
  scenarios/azure-conversation/llama-70b/edges.csv \
  scenarios/azure-conversation/llama-70b/objects.csv \
  scenarios/azure-conversation/llama-8b/scenario.yaml \
  scenarios/azure-conversation/llama-8b/nodes.csv \
  scenarios/azure-conversation/llama-8b/edges.csv \
  scenarios/azure-conversation/llama-8b/objects.csv \
  scenarios/break-even/scenario.yaml scenarios/break-even/nodes.csv \
  scenarios/break-even/edges.csv scenarios/break-even/objects.csv scenarios/break-even/README.md \
  scenarios/cpu-loop/README.md \
  scenarios/cpu-loop/activations/scenario.yaml scenarios/cpu-loop/activations/nodes.csv \
  scenarios/cpu-loop/activations/edges.csv scenarios/cpu-loop/activations/objects.csv \
  scenarios/cpu-loop/copy-and-compute/scenario.yaml scenarios/cpu-loop/copy-and-compute/nodes.csv \
  scenarios/cpu-loop/copy-and-compute/edges.csv scenarios/cpu-loop/copy-and-compute/objects.csv \
  scenarios/cpu-loop/copy-and-stream/scenario.yaml scenarios/cpu-loop/copy-and-stream/nodes.csv \
  scenarios/cpu-loop/copy-and-stream/edges.csv scenarios/cpu-loop/copy-and-stream/objects.csv \
  scenarios/hello/scenario.yaml scenarios/hello/nodes.csv scenarios/hello/edges.csv \
  scenarios/hello/objects.csv \
  scenarios/activation-remat/scenario.yaml scenarios/activation-remat/nodes.csv \
  scenarios/activation-remat/edges.csv scenarios/activation-remat/objects.csv \
  scenarios/activation-remat/README.md \
  scenarios/kv-offload/scenario.yaml scenarios/kv-offload/nodes.csv scenarios/kv-offload/edges.csv \
  scenarios/kv-offload/objects.csv scenarios/kv-offload/README.md \
  scenarios/optimizer-offload/cpu-step/scenario.yaml scenarios/optimizer-offload/cpu-step/nodes.csv \
  scenarios/optimizer-offload/cpu-step/edges.csv scenarios/optimizer-offload/cpu-step/objects.csv \
  scenarios/optimizer-offload/gpu-step/scenario.yaml scenarios/optimizer-offload/gpu-step/nodes.csv \
  scenarios/optimizer-offload/gpu-step/edges.csv scenarios/optimizer-offload/gpu-step/objects.csv \
  scenarios/optimizer-offload/README.md \
  scenarios/weight-stream/scenario.yaml scenarios/weight-stream/nodes.csv \
  scenarios/weight-stream/edges.csv scenarios/weight-stream/objects.csv \
  scenarios/weight-stream/README.md \
  scenarios/moe-prefetch/scenario.yaml scenarios/moe-prefetch/nodes.csv \
  scenarios/moe-prefetch/edges.csv scenarios/moe-prefetch/objects.csv \
  scenarios/moe-prefetch/README.md \
  scenarios/train-steady/scenario.yaml scenarios/train-steady/nodes.csv \
  scenarios/train-steady/edges.csv scenarios/train-steady/late.csv \
  scenarios/train-steady/objects.csv scenarios/train-steady/README.md \
  scenarios/two-gpu/scenario.yaml scenarios/two-gpu/nodes.csv scenarios/two-gpu/objects.csv \
  scenarios/two-gpu/kappa.csv scenarios/two-gpu/README.md

