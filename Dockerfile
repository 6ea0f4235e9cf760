# An image with the executable of a release. The build context is the folder that "npm run package" writes:
#
#   docker build --build-arg VERSION=1.2.3 --file Dockerfile --tag svc:1.2.3 release
#   docker run --rm --env SVC_BASE_URL --env SVC_TOKEN svc:1.2.3 jobs list --project acme/rocket
#
# Settings are SVC_ variables of the container ("svc help environment"). No secret is needed to build it, and none is stored in it.
#
# The default base has a shell, which jobs of CI/CD pipelines need. Without a shell, the image is smaller:
#
#   docker build --build-arg BASE=gcr.io/distroless/cc-debian12:nonroot …
#
# For an image that never changes, give the digest of the base, as in BASE=debian@sha256:…

ARG BUILD_BASE=debian:bookworm-slim
ARG BASE=debian:bookworm-slim

FROM ${BUILD_BASE} AS unpack
ARG VERSION
# BuildKit sets these: the processor of --platform and that of the machine. A default would replace its values.
ARG TARGETARCH
ARG BUILDARCH
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /release
COPY SHA256SUMS svc-${VERSION}-linux-*64.tar.gz ./
# Everything that the image contains besides its base is in /image. Any user can write to the home: some platforms choose the user.
RUN set -eu; \
  base="$(dpkg --print-architecture)"; \
  arch="${TARGETARCH:-$base}"; \
  case "$arch" in \
    amd64) name="svc-$VERSION-linux-x64" ;; \
    arm64) name="svc-$VERSION-linux-arm64" ;; \
    *) echo "no executable for $arch" >&2; exit 1 ;; \
  esac; \
  awk -v name="$name.tar.gz" '$2 == name || $2 == "*" name' SHA256SUMS > checksum; \
  test "$(wc -l < checksum)" -eq 1 || { echo "SHA256SUMS does not list $name.tar.gz once" >&2; exit 1; }; \
  sha256sum --check --strict checksum; \
  tar -xzf "$name.tar.gz"; \
  install -D --mode 0755 "$name/svc" /image/usr/bin/svc; \
  install -D --mode 0644 --target-directory /image/usr/share/doc/svc "$name"/LICENSE*; \
  install -D --mode 0644 /etc/ssl/certs/ca-certificates.crt /image/etc/ssl/certs/ca-certificates.crt; \
  install --directory --mode 0755 /image/work; \
  install --directory --mode 1777 /image/home/svc; \
  if [ "$arch" = "${BUILDARCH:-$base}" ]; then /image/usr/bin/svc --version; fi

FROM ${BASE}
ARG VERSION
LABEL org.opencontainers.image.title="svc" \
  org.opencontainers.image.description="Command-line client for a project-hosting and CI/CD REST API" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.licenses="MIT"
COPY --from=unpack /image/ /
# The profiles, the state of the sandbox and other files are below it.
ENV HOME=/home/svc
WORKDIR /work
USER 65532:65532
ENTRYPOINT ["svc"]
CMD ["--help"]
