# The server, in production or as a sandbox: docs/deployment.md.
ARG NODE_DIGEST

FROM node:24-slim${NODE_DIGEST:+@$NODE_DIGEST} AS checkout
WORKDIR /opt/opentill
COPY . .
RUN --mount=type=cache,target=/root/.npm npm ci --ignore-scripts && node packaging/pack-all.ts packed

FROM node:24-slim${NODE_DIGEST:+@$NODE_DIGEST}
WORKDIR /opt/opentill
COPY --from=checkout /opt/opentill/packed ./
# With the scripts that prepare the bundled PostgreSQL, because the user of the server may not write here.
RUN --mount=type=cache,target=/root/.npm NODE_DISABLE_COMPILE_CACHE=1 npm ci
RUN install -d -o node -g node /data
# Bound to every address of the container: which needs TLS files, or OPENTILL_TRUSTED_PROXIES=loopback.
ENV OPENTILL_HOST=0.0.0.0 OPENTILL_OPERATOR_HOST=0.0.0.0 OPENTILL_DATA_DIR=/data
ENV PATH=/opt/opentill/node_modules/.bin:$PATH
USER node
VOLUME /data
EXPOSE 8080 8081
# On loopback any certificate will do: fetch would reject its name.
HEALTHCHECK --start-period=60s CMD ["node", "--no-warnings", "-e", "const { OPENTILL_TLS_CERT: cert, OPENTILL_OPERATOR_PORT: port } = process.env; process.env.NODE_TLS_REJECT_UNAUTHORIZED = cert ? '0' : '1'; fetch(`http${cert ? 's' : ''}://127.0.0.1:${port || 8081}/health/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), ({ cause }) => { console.error(cause.message); process.exit(1); })"]
# The heap flags keep the server under 200 MB (docs/decisions/scaling.md).
ENTRYPOINT ["node", "--min-semi-space-size=8", "--max-semi-space-size=8", "--heap-growing-percent=30", "/opt/opentill/node_modules/.bin/opentill-server"]
