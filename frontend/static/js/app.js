// Modules of every page: one for each custom element, and the few manners all pages share. Elements of single pages come with them.
import "./mirror-theme.js";
import "./mirror-ask.js";
import "./mirror-chips.js";
import "./mirror-run.js";
import "./mirror-editor.js";
import "./mirror-chart.js";
import "./mirror-grid.js";
import "./mirror-tabs.js";
import "./keys.js";
import "./manners.js";
import "./typed.js";
import "./focus.js";

if (document.querySelector("mirror-mentions")) void import("./mirror-mentions.js");
if (document.querySelector("mirror-sql")) void import("./mirror-sql.js");
if (document.querySelector("mirror-zone")) void import("./mirror-zone.js");
if (document.querySelector("mirror-board")) void import("./mirror-board.js");
if (document.querySelector("mirror-passkey")) void import("./mirror-passkey.js");
