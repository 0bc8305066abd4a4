// What the accessibility tests ask of a page; tests/browser/test_accessibility.py puts it into every page.
(() => {
    const CHARTS = '[data-testid="stVegaLiteChart"], [data-testid="stPlotlyChart"]';
    const CONTROLS = 'button, input, a[href], summary, select, textarea';
    // One of a group has the focus, and the arrows go on from it; a table does the same with its cells.
    const GROUPS = '[role="radiogroup"], [role="toolbar"], [data-testid="stButtonGroup"]';

    const main = () => document.querySelector('[data-testid="stMain"]');
    const named = node => node.ariaLabel || node.innerText;

    let drawnBefore = null;
    const controls = [];

    // Whether everything is drawn, to be asked every so often.
    function drawn() {
        const busy = document.querySelector('[data-testid="stSkeleton"], [data-testid="stSpinner"]');
        const charts = [...document.querySelectorAll('[data-testid="stVegaLiteChart"]')];
        const widths = charts.map(chart => chart.querySelector('svg.marks')?.getBoundingClientRect().width);
        const fits = charts.every((chart, place) =>
            widths[place] && (chart.closest('[class*="st-key-sideways_"]') || widths[place] <= innerWidth));
        // Charts are drawn again while the page finds its width: done when two looks see the same.
        const before = drawnBefore;
        drawnBefore = JSON.stringify([innerWidth, widths]);
        return !busy && fits && before === drawnBefore;
    }

    // How far from the top the first of these is.
    function top(selector) {
        return Math.min(...[...document.querySelectorAll(selector)].map(one => one.getBoundingClientRect().top));
    }

    // Charts and tables without a name for a screen reader.
    function nameless() {
        return [...document.querySelectorAll(`${CHARTS}, [data-testid="stDataFrame"]`)].filter(one => {
            const nodes = [one, ...one.querySelectorAll('[aria-label]'), one.closest('[aria-label]')];
            return !nodes.some(node => node?.ariaLabel?.trim().length > 10);
        }).map(one => one.outerHTML.slice(0, 200));
    }

    // What is cut off or makes the page move sideways.
    function clipped() {
        const faults = [];
        for (const part of [document.documentElement, main()])
            if (part.scrollWidth > part.clientWidth + 1) faults.push(`the page moves: ${part.scrollWidth}`);
        const moves = node => node && node !== main()
            && (/auto|scroll/.test(getComputedStyle(node).overflowX) || moves(node.parentElement));
        for (const node of main().querySelectorAll('button, input, summary, a, label, h1, h2, h3, p, code')) {
            const box = node.getBoundingClientRect();
            const hidden = box.width < 2 || getComputedStyle(node).visibility === 'hidden';
            const apart = node.type === 'range' || node.closest('[data-testid=stElementToolbar]');
            if (hidden || apart || moves(node)) continue;
            if (box.right > innerWidth + 1 || box.left < -1)
                faults.push(`${node.tagName} ${named(node)}: to ${box.right}`);
            if (node.tagName === 'BUTTON' && node.scrollWidth > node.clientWidth + 1)
                faults.push(`the words of a button are cut: ${node.innerText}`);
        }
        for (const chart of main().querySelectorAll('svg.marks')) {
            const frame = chart.getBoundingClientRect();
            const words = '.role-title text, .role-axis-title text, .role-legend text';
            for (const text of chart.querySelectorAll(words)) {
                const box = text.getBoundingClientRect();
                const out = Math.max(frame.left - box.left, box.right - frame.right,
                                     frame.top - box.top, box.bottom - frame.bottom);
                if (box.width && out > 4) faults.push(`cut off in a chart by ${out} px: ${text.textContent}`);
                if (text.closest('.role-title') && text.textContent.endsWith('…'))
                    faults.push(`a chart's title is cut: ${text.textContent}`);
            }
        }
        return faults;
    }

    // The words in charts: ink and, letter by letter, nine places of the window that lie behind it.
    function words() {
        return [...document.querySelectorAll('svg text')].filter(text => text.closest(CHARTS)).map(text => {
            const style = getComputedStyle(text), matrix = text.getScreenCTM();
            let opacity = Number(style.fillOpacity);
            for (let part = text; part?.closest('svg'); part = part.parentElement)
                opacity *= Number(getComputedStyle(part).opacity);
            const shown = style.fill !== 'none' && text.checkVisibility({visibilityProperty: true});
            const letters = [];
            for (let place = 0; shown && opacity && place < text.getNumberOfChars(); place++) {
                const box = text.getExtentOfChar(place);
                const at = (x, y) => new DOMPoint(box.x + x * box.width, box.y + y * box.height)
                    .matrixTransform(matrix);
                const middle = at(0.5, 0.5);
                // A wide chart may have moved out of its frame.
                const seen = document.elementsFromPoint(middle.x, middle.y).some(node => node.closest(CHARTS));
                if (!box.width || !seen) continue;
                const shares = [0.2, 0.5, 0.8];
                letters.push(shares.flatMap(x => shares.map(y => at(x, y))).map(({x, y}) => [x, y]));
            }
            return {
                words: text.textContent, ink: style.fill, opacity, letters,
                pixels: parseFloat(style.fontSize) * Math.hypot(matrix.a, matrix.b),
                bold: Number(style.fontWeight) >= 700,
            };
        }).filter(({letters}) => letters.length);
    }

    // How a control and what is around it look: what changes with the focus shows it.
    function look(node) {
        const looks = [];
        for (let part = node, far = 0; part && far < 5; part = part.parentElement, far++) {
            const style = getComputedStyle(part);
            looks.push(style.boxShadow, style.outline, style.borderColor, style.backgroundColor, style.color);
        }
        return JSON.stringify(looks);
    }

    // Note what has the focus; false where nothing has.
    function noteFocus() {
        const node = document.activeElement;
        if (!node || node === document.body) return false;
        controls.push([node, look(node)]);
        return true;
    }

    // What of the controls was missed, did not show its focus, or took the focus back up the page.
    function reached() {
        document.activeElement?.blur();
        const seen = new Set(controls.map(([node]) => node));
        const all = [...document.querySelectorAll(CONTROLS)].filter(node =>
            !node.disabled && node.tabIndex >= 0 && node.checkVisibility({visibilityProperty: true}));
        const inside = node => main().contains(node) && node !== main() && !node.closest('h1');
        const own = controls.filter(([node]) => inside(node));
        // The canvas of a table draws the focus of its cells itself.
        const unseen = own.filter(([node, was]) => node.matches(CONTROLS) && look(node) === was);
        const tops = own.map(([node]) => [node.getBoundingClientRect().bottom, named(node)]);
        return {
            missed: all.filter(node => !seen.has(node) && !node.closest(GROUPS)).map(named),
            unseen: unseen.map(([node]) => named(node)),
            back: tops.filter(([at], place) => place && at < tops[place - 1][0] - 120).map(([, name]) => name),
        };
    }

    window.asked = {drawn, top, nameless, clipped, words, noteFocus, reached};
})();
