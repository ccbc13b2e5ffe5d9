// What every page loads: one module a custom element, and the few manners all pages share.
import "./mirror-theme.js";
import "./mirror-ask.js";
import "./mirror-chips.js";
import "./mirror-run.js";
import "./mirror-editor.js";
import "./mirror-chart.js";
import "./mirror-grid.js";
import "./mirror-tabs.js";
import "./mirror-zone.js";
import "./mirror-sql.js";
import "./keys.js";
import "./manners.js";
