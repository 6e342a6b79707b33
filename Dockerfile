# The build needs compilers and the image does not, so they are two stages. Install scripts stay off: nothing that the
# gateway depends on needs one. `npm run check:image` takes the same steps without docker.
FROM node:22-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY gateway/package.json gateway/
COPY simulator/package.json simulator/
COPY console/package.json console/
COPY sdk/package.json sdk/
COPY bench/package.json bench/
RUN npm ci --ignore-scripts
COPY . .
RUN npx tsc -b gateway && node scripts/bundle-gateway.mjs && npm run build --workspace console
# What only builds and tests need stays behind.
RUN npm prune --omit=dev --ignore-scripts && rm -rf gateway/src gateway/test simulator/src console/src

FROM node:22-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4100 TOLLGATE_DATA_DIR=/data
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/gateway ./gateway
COPY --from=build /app/simulator ./simulator
COPY --from=build /app/console ./console
RUN install -d -o node -g node -m 700 /data
USER node
VOLUME /data
EXPOSE 4100
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD node -e "fetch('http://127.0.0.1:' + process.env.PORT + '/healthz').then((it) => process.exit(it.ok ? 0 : 1), () => process.exit(1))"
# Calls leave much short-lived garbage; with more room for it, less of it is copied before it dies. What NODE_OPTIONS says
# of a flag yields to a command line, so flags that it may name stand before it, where the later one counts.
CMD ["sh", "-c", "exec env NODE_OPTIONS=\"--max-semi-space-size=16 --use-largepages=silent $NODE_OPTIONS\" node --min-semi-space-size=16 --no-memory-reducer gateway/dist/tollgate.js"]
