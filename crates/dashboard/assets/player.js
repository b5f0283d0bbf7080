// Recording and transcript go together: a line leads to its moment, and the line that is heard is marked.
"use strict";

function listen() {
  const audio = document.getElementById("audio");
  const turns = [...document.querySelectorAll(".turns [data-at]")];
  if (!audio) return;
  for (const turn of turns) {
    const link = turn.querySelector("a");
    link.onclick = (event) => {
      event.preventDefault();
      audio.currentTime = Number(turn.dataset.at);
      audio.play();
    };
  }
  audio.ontimeupdate = () => {
    const now = audio.currentTime + 0.05;
    const heard = turns.findLast((turn) => Number(turn.dataset.at) <= now);
    for (const turn of turns) {
      if (turn === heard && !audio.ended) turn.setAttribute("aria-current", "true");
      else turn.removeAttribute("aria-current");
    }
  };
}

listen();
addEventListener("parts", listen);
