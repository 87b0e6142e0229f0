// Shows the reference of this server, whose address replaces the default one in samples.

const element = document.querySelector('#reference');
const { address, tries } = element.dataset;
const response = await fetch('/docs/json');
const text = await response.text();

Scalar.createApiReference(element, {
  content: JSON.parse(text.replaceAll(address, location.origin)),
  // The document has its own samples.
  hiddenClients: true,
  expandAllResponses: true,
  hideModels: true,
  hideTestRequestButton: tries === undefined,
  authentication: { preferredSecurityScheme: 'accessToken' },
  documentDownloadType: 'none',
  // Nothing is requested from elsewhere.
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  // The purchase API requires it although its calls have no body.
  onBeforeRequest({ requestBuilder }) {
    if (requestBuilder.body === null) requestBuilder.headers.set('content-type', 'application/json');
  },
});
