"""The words around an answer's value, and how figures are written, in the languages of questions."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

Spoken = Literal["en", "de", "fr", "es", "it"]
Absence = Literal[
    "not_disclosed",
    "not_found",
    "needs_reading",
    "other_currency",
    "other_period",
    "later_than_reports",
    "company_unknown",
    "company_ambiguous",
    "unverified",
    "model_failed",
]
_MILLION, _BILLION, _THOUSAND = 10**6, 10**9, 10**3


@dataclass(frozen=True)
class AnswerWords:
    """The words of one language.

    Attributes:
        printed_page: before the number that a page prints, where it is not that of its place: "page 35 (printed 29)".
        silent: for a yes or no that rests on a search that found no mention.
        scales: behind a figure: "688.4 million USD".
        marks: between groups of three digits, and before the decimals.
        reasons: why there is no answer, each as a sentence.
    """

    yes: str
    no: str
    silent: str
    page: str
    printed: str
    printed_page: str
    period: str
    scales: dict[int, str]
    marks: tuple[str, str]
    reasons: dict[Absence, str]

    def figure(self, value: float, scale: int = 1, currency: str = "", decimals: int = 0) -> str:
        """A value in full units as people write it, in this scale: "688.415 million USD".

        Args:
            value: in full units.
            scale: that the figure is given in.
            currency: stands behind it.
            decimals: at least so many in full units, since the page prints them: "0.30".
        """
        scale = scale if scale in self.scales else 1
        text = f"{Decimal(repr(value)) / scale:,f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
        if scale == 1 and len(text.partition(".")[2]) < decimals:
            text = f"{Decimal(repr(value)):,.{decimals}f}"
        group, mark = self.marks
        text = text.replace(",", "\0").replace(".", mark).replace("\0", group)
        return " ".join(part for part in (text, self.scales.get(scale, ""), currency) if part)


ANSWER_WORDS: dict[Spoken, AnswerWords] = {
    "en": AnswerWords(
        yes="yes",
        no="no",
        silent="no mention found",
        page="page",
        printed="as printed",
        printed_page="printed",
        period="period to",
        scales={_THOUSAND: "thousand", _MILLION: "million", _BILLION: "billion"},
        marks=(",", "."),
        reasons={
            "not_disclosed": "The report does not disclose it.",
            "not_found": "No answer was found on the pages that were read.",
            "needs_reading": "This needs reading, by you or a language model. These passages come nearest.",
            "other_currency": "The report prints it in another currency than the one asked for.",
            "other_period": "The report prints it for another period than the one asked for.",
            "later_than_reports": "No report as late as this is in the library.",
            "company_unknown": "The question names no company whose report is in the library.",
            "company_ambiguous": "Several companies fit this question. Ask again with one company's full name.",
            "unverified": "What was found could not be verified on its page, so it is withheld.",
            "model_failed": "The language model gave no usable answer. Ask again, or choose another profile.",
        },
    ),
    "de": AnswerWords(
        yes="ja",
        no="nein",
        silent="keine Erwähnung gefunden",
        page="Seite",
        printed="gedruckt",
        printed_page="gedruckt",
        period="Zeitraum bis",
        scales={_THOUSAND: "Tausend", _MILLION: "Millionen", _BILLION: "Milliarden"},
        marks=(".", ","),
        reasons={
            "not_disclosed": "Der Bericht gibt es nicht an.",
            "not_found": "Auf den gelesenen Seiten wurde keine Antwort gefunden.",
            "needs_reading": "Das müssen Sie oder ein Sprachmodell lesen. Diese Stellen kommen am nächsten.",
            "other_currency": "Der Bericht gibt es in einer anderen Währung an.",
            "other_period": "Der Bericht gibt es für einen anderen Zeitraum an.",
            "later_than_reports": "In der Bibliothek ist kein Bericht, der so neu ist.",
            "company_unknown": "Die Frage nennt kein Unternehmen, dessen Bericht in der Bibliothek ist.",
            "company_ambiguous": "Mehrere Unternehmen passen zur Frage. Bitte mit dem vollen Namen noch einmal fragen.",
            "unverified": "Das Gefundene ließ sich auf seiner Seite nicht bestätigen und wird nicht gezeigt.",
            "model_failed": "Das Sprachmodell gab keine brauchbare Antwort.",
        },
    ),
    "fr": AnswerWords(
        yes="oui",
        no="non",
        silent="aucune mention trouvée",
        page="page",
        printed="imprimé",
        printed_page="imprimée",
        period="période au",
        scales={_THOUSAND: "milliers", _MILLION: "millions", _BILLION: "milliards"},
        marks=("\u202f", ","),
        reasons={
            "not_disclosed": "Le rapport ne le publie pas.",
            "not_found": "Aucune réponse n'a été trouvée dans les pages lues.",
            "needs_reading": "Il faut le lire, ou le faire lire par un modèle : voici les passages les plus proches.",
            "other_currency": "Le rapport le donne dans une autre monnaie.",
            "other_period": "Le rapport le donne pour une autre période.",
            "later_than_reports": "La bibliothèque n'a pas de rapport aussi récent.",
            "company_unknown": "La question ne nomme aucune société dont le rapport est dans la bibliothèque.",
            "company_ambiguous": "Plusieurs sociétés correspondent. Donnez le nom complet de l'une d'elles.",
            "unverified": "Ce qui a été trouvé n'a pas pu être vérifié sur sa page et n'est pas montré.",
            "model_failed": "Le modèle de langage n'a pas donné de réponse utilisable.",
        },
    ),
    "es": AnswerWords(
        yes="sí",
        no="no",
        silent="ninguna mención encontrada",
        page="página",
        printed="impreso",
        printed_page="impresa",
        period="periodo hasta",
        scales={_THOUSAND: "miles", _MILLION: "millones", _BILLION: "miles de millones"},
        marks=(".", ","),
        reasons={
            "not_disclosed": "El informe no lo publica.",
            "not_found": "No se ha encontrado una respuesta en las páginas leídas.",
            "needs_reading": "Alguien, o un modelo de lenguaje, tiene que leerlo: estos pasajes son los más cercanos.",
            "other_currency": "El informe lo da en otra moneda.",
            "other_period": "El informe lo da para otro periodo.",
            "later_than_reports": "En la biblioteca no hay ningún informe tan reciente.",
            "company_unknown": "La pregunta no nombra ninguna empresa cuyo informe esté en la biblioteca.",
            "company_ambiguous": "Varias empresas encajan. Pregunte otra vez con el nombre completo de una.",
            "unverified": "Lo encontrado no se pudo comprobar en su página y no se muestra.",
            "model_failed": "El modelo de lenguaje no dio una respuesta útil.",
        },
    ),
    "it": AnswerWords(
        yes="sì",
        no="no",
        silent="nessuna menzione trovata",
        page="pagina",
        printed="stampato",
        printed_page="stampata",
        period="periodo al",
        scales={_THOUSAND: "migliaia", _MILLION: "milioni", _BILLION: "miliardi"},
        marks=(".", ","),
        reasons={
            "not_disclosed": "La relazione non lo pubblica.",
            "not_found": "Nelle pagine lette non è stata trovata alcuna risposta.",
            "needs_reading": "Qualcuno, o un modello linguistico, deve leggerlo: questi passaggi sono i più vicini.",
            "other_currency": "La relazione lo riporta in un'altra valuta.",
            "other_period": "La relazione lo riporta per un altro periodo.",
            "later_than_reports": "Nella biblioteca non c'è una relazione così recente.",
            "company_unknown": "La domanda non nomina nessuna società la cui relazione sia nella biblioteca.",
            "company_ambiguous": "Più società corrispondono. Chieda di nuovo con il nome completo di una.",
            "unverified": "Quanto trovato non si è potuto verificare sulla sua pagina e non viene mostrato.",
            "model_failed": "Il modello linguistico non ha dato una risposta utilizzabile.",
        },
    ),
}
