// Shows the document of the service that this page came from.
SwaggerUIBundle({
  url: "/api/openapi.json",
  dom_id: "#api",
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  // Nothing is sent to anybody else, the online validator included.
  validatorUrl: null,
});
