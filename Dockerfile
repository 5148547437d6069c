# One image for each service and for the pages. Build from the repository's root:
#   docker build --build-arg FOLDER=services/ingester --build-arg MODULE=ingester -t touchstone/ingester:dev .
# FOLDER is the member's folder, MODULE the Python module that serves. GPU=1 brings torch with CUDA to the embedder; without
# it models run on the processor by OpenVINO, converted before (`make tools TOOLS=conversion`) and mounted.
ARG BASE=python:3.11-slim-bookworm

FROM ${BASE} AS build
# A package index's certificates, where they are not the public ones; and a folder of packages that were fetched before.
ARG SSL_CERT_FILE
ARG PIP_CERT
ENV UV_CACHE_DIR=/var/cache/uv UV_LINK_MODE=copy UV_PYTHON_DOWNLOADS=never
COPY requirements-bootstrap.lock /build/
RUN python3 -m venv /build/tools && \
    /build/tools/bin/pip install --no-cache-dir --disable-pip-version-check --require-hashes -r /build/requirements-bootstrap.lock
RUN /build/tools/bin/uv venv --python "$(command -v python3)" /opt/touchstone
ARG FOLDER
ARG GPU=
COPY ${FOLDER}/requirements.lock /build/requirements.lock
# OpenVINO serves converted models: torch, and what only torch needs, would be five gigabytes that are never imported.
RUN set -eu; if [ -z "${GPU}" ]; then \
      awk '/^[a-z]/ {keep = !/^(torch|triton|nvidia-|cuda-|transformers|sentence-transformers|scikit-learn|safetensors|setuptools)/} keep' \
        /build/requirements.lock > /build/kept.lock && mv /build/kept.lock /build/requirements.lock; \
    fi; \
    VIRTUAL_ENV=/opt/touchstone /build/tools/bin/uv pip install --quiet --no-deps --require-hashes --compile-bytecode \
      -r /build/requirements.lock
COPY shared /build/shared
COPY ${FOLDER} /build/member
# What builds packages is no part of the image.
RUN VIRTUAL_ENV=/opt/touchstone /build/tools/bin/uv pip install --quiet --no-deps --no-build-isolation --compile-bytecode \
      /build/shared/contracts /build/shared/rpc /build/shared/values /build/shared/runtime /build/member && \
    VIRTUAL_ENV=/opt/touchstone /build/tools/bin/uv pip uninstall --quiet hatchling editables pathspec pluggy trove-classifiers
# What the languages need lies in the executor's image: a runner pod has neither a network nor a volume to have it from. What was
# built before may lie in the folder of the cache; it is completed, and copied.
ARG MODULE
ENV TOUCHSTONE_TOOLCHAINS_DIR=/var/cache/toolchains
RUN set -eu; mkdir -p /opt/toolchains /var/cache/toolchains; if [ "${MODULE}" = sandbox_executor ]; then \
      TOUCHSTONE_STATE_DIR=/build/state /opt/touchstone/bin/python -m sandbox_executor provision-languages && \
      cp -r /var/cache/toolchains/. /opt/toolchains/ && chmod -R a+rX,go-w /opt/toolchains; \
    fi

FROM ${BASE}
ARG FOLDER
COPY ${FOLDER}/system-packages.txt /tmp/
# hadolint ignore=DL3008
RUN set -eu; if [ -s /tmp/system-packages.txt ]; then \
      apt-get update -qq && xargs apt-get install -qq -y --no-install-recommends < /tmp/system-packages.txt && \
      rm -rf /var/lib/apt/lists/*; \
    fi; \
    rm /tmp/system-packages.txt; \
    useradd --uid 10001 --create-home --home-dir /var/lib/touchstone touchstone
COPY --from=build /opt/touchstone /opt/touchstone
COPY --from=build /opt/toolchains /opt/toolchains
COPY models.toml sources.toml /etc/touchstone/
ARG MODULE
ENV PATH=/opt/touchstone/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    TOUCHSTONE_MODULE=${MODULE} \
    TOUCHSTONE_GRPC_LISTEN=0.0.0.0:7100 \
    TOUCHSTONE_HTTP_LISTEN=0.0.0.0:8080 \
    TOUCHSTONE_STATE_DIR=/var/lib/touchstone \
    TOUCHSTONE_TOOLCHAINS_DIR=/opt/toolchains \
    TOUCHSTONE_MODELS_DIR=/var/lib/touchstone/models \
    TOUCHSTONE_MODELS_FILE=/etc/touchstone/models.toml
USER 10001
WORKDIR /var/lib/touchstone
EXPOSE 7100 8080
CMD ["/bin/sh", "-c", "exec python -m \"$TOUCHSTONE_MODULE\""]
