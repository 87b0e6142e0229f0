# The server, in production or as a sandbox: docs/deployment.md.
FROM node:26-slim AS console

WORKDIR /opt/opentill
COPY package.json package-lock.json .npmrc ./
COPY packages ./packages
RUN npm ci --ignore-scripts && node packages/console/bin/build.ts

FROM node:26-slim

WORKDIR /opt/opentill
COPY package.json package-lock.json .npmrc ./
COPY packages ./packages
RUN npm ci --omit=dev --ignore-scripts && npm cache clean --force \
 && mkdir /data && chown node:node /data
COPY --from=console /opt/opentill/packages/console/dist packages/console/dist

# Bound to every address of the container: which needs TLS files, or OPENTILL_BEHIND_TLS_PROXY=true.
ENV OPENTILL_HOST=0.0.0.0 OPENTILL_OPERATOR_HOST=0.0.0.0 OPENTILL_DATA_DIR=/data
USER node
VOLUME /data
EXPOSE 8080 8081
ENTRYPOINT ["node", "packages/server/bin/opentill.cjs"]
