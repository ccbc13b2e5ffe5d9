// Beside the charts where pictures are drawn: Kaleido hands data and layout to Plotly, but no configuration. Months and days in the
// language of the reader are part of it, so they come as `meta.config` of the layout.
const { toImage } = Plotly;

Plotly.toImage = (figure, options) => toImage({ ...figure, config: { ...figure.config, ...figure.layout.meta?.config } }, options);
