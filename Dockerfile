# One image for every part of Mirror: MIRROR_ROLE says which one a container runs (docs/deploy.md).
# It runs as a user of its own with a read-only root; what it writes is under /data, a volume, and /tmp.
FROM python:3.12-slim-bookworm AS build
WORKDIR /app
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
COPY requirements.txt ./
RUN python -m venv /app/.venv \
    && /app/.venv/bin/python -m pip install --no-cache-dir --require-hashes -r requirements.txt

FROM python:3.12-slim-bookworm
# Charts in mails are drawn by Chromium where there is one, else plainer: build with --build-arg CHROMIUM=chromium.
ARG CHROMIUM=""
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends fonts-dejavu-core ${CHROMIUM} \
    && rm -rf /var/lib/apt/lists/* \
    && groupadd --gid 10001 mirror \
    && useradd --uid 10001 --gid mirror --no-create-home --home-dir /tmp --shell /usr/sbin/nologin mirror \
    && install -d -o mirror -g mirror -m 0700 /data
WORKDIR /app
COPY --from=build /app/.venv /app/.venv
COPY manage.py LICENSE ./
COPY script/serve.py script/parts.py script/healthcheck.py script/
COPY sqlagent sqlagent
COPY mirror mirror
COPY frontend/templates frontend/templates
COPY frontend/static frontend/static
RUN /app/.venv/bin/python -m compileall -q manage.py script sqlagent mirror
ENV PATH=/app/.venv/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    HOME=/tmp \
    MPLCONFIGDIR=/tmp/matplotlib \
    PRODUCTION=true \
    MIRROR_VAR_DIR=/data \
    MIRROR_ROLE=""
VOLUME /data
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=20s --start-period=120s --retries=3 CMD ["python", "script/healthcheck.py"]
USER 10001:10001
ENTRYPOINT ["python", "script/serve.py"]
CMD ["--host", "0.0.0.0", "--port", "8000"]
