// Chainlit knows "system" but its settings file does not; a person's own choice wins.
if (!localStorage.getItem("vite-ui-theme")) localStorage.setItem("vite-ui-theme", "system");
